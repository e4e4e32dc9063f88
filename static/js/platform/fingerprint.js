/** The same answers always give the same text, whatever the order of their names. */
export function fingerprint(answers) {
  const sorted = (value) =>
    Array.isArray(value)
      ? value.map(sorted)
      : value && typeof value === "object"
        ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
        : typeof value === "string"
          ? value.replace(/\r\n/g, "\n")
          : value;
  return JSON.stringify(sorted(answers));
}
