// Which tokens of two texts are the same, and what differs between them, passage by passage. Nothing here knows the page.

// Beyond this many comparisons the page would stand still; the texts then differ in one passage, or in none.
const MOST = 16e6;

/** Tokens as they are compared: neither case nor the kind of apostrophe tells them apart. */
const comparable = (text, { start, end }) =>
  text.slice(start, end).normalize("NFC").toLocaleLowerCase("fr").replaceAll("’", "'");

/** Pairs [i, j] of the longest common subsequence of tokens, in order. Each side: {text, tokens}. */
export function aligned(before, after) {
  const a = before.tokens.map((token) => comparable(before.text, token));
  const b = after.tokens.map((token) => comparable(after.text, token));
  let first = 0;
  while (first < a.length && first < b.length && a[first] === b[first]) first++;
  let last = 0;
  const least = Math.min(a.length, b.length) - first;
  while (last < least && a[a.length - 1 - last] === b[b.length - 1 - last]) last++;
  const inner = common(a.slice(first, a.length - last), b.slice(first, b.length - last));
  return [
    ...Array.from({ length: first }, (_, i) => [i, i]),
    ...inner.map(([i, j]) => [i + first, j + first]),
    ...Array.from({ length: last }, (_, i) => [a.length - last + i, b.length - last + i]),
  ];
}

function common(a, b) {
  if (a.length * b.length > MOST) return [];
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      length[at] = a[i] === b[j] ? length[at + width + 1] + 1 : Math.max(length[at + width], length[at + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) i++;
    else j++;
  }
  return pairs;
}

/** What stands between the pairs: places of either text that have no counterpart, {original, simplification}. */
export function differing(pairs, lengths) {
  const blocks = [];
  let [i, j] = [0, 0];
  for (const [left, right] of [...pairs, [lengths.original, lengths.simplification]]) {
    const [original, simplification] = [run(i, left), run(j, right)];
    if (original.length || simplification.length) blocks.push({ original, simplification });
    [i, j] = [left + 1, right + 1];
  }
  return blocks;
}

const run = (from, end) => Array.from({ length: Math.max(0, end - from) }, (_, index) => from + index);

/** The place of the other text that stands where this one does: its counterpart, else what follows the last before it. */
export function across(pairs, place, from) {
  const [own, other] = from === "original" ? [0, 1] : [1, 0];
  let boundary = 0;
  for (const pair of pairs) {
    if (pair[own] === place) return pair[other];
    if (pair[own] > place) break;
    boundary = pair[other] + 1;
  }
  return boundary;
}
