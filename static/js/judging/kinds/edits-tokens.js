// Texts cut into tokens by the rules of annotation/protocols/tokens.py, which tells what they say; tests hold the two
// to each other. Nothing here knows the page. Positions are UTF-16 units, as the browser counts.

const ACCENTS = "\\u0300-\\u036f";
const LETTER = `[\\p{L}\\p{N}_${ACCENTS}]`;
const APOSTROPHE = "['\\u2019]";
const HYPHEN = "[-\\u2010\\u2011]";
const SPACE = "[ \\u00a0\\u202f]";
const SIGN = "[$€£¢%‰°]";
// Python's white space is not quite the browser's, nor is its «i» whatever the case.
const WHITE = "\\s\\x1c-\\x1f\\x85";
const MARK = `(?:[^${WHITE}]|\\ufeff)`;
const I = "[iıİ]";
const ENDING = `${APOSTROPHE}(?:s|re|ve|ll|d|m)(?!${LETTER})`;
const SUBJECT = `${HYPHEN}(?:t${HYPHEN})?(?:${I}ls?|elles?|on|je|tu|ce)(?!${LETTER})`;
const NEGATION = `n${APOSTROPHE}t(?!${LETTER})`;
const NUMBER = [
  `[$€£]?(?:[0-9]{1,3}(?:${SPACE}[0-9]{3})+(?![0-9])|[0-9]+)(?:[.,:/][0-9]+)*`,
  `(?:${SPACE}?${SIGN}|${LETTER}+)?(?:${HYPHEN}${LETTER}+)*`,
].join("");
const WORDS = new RegExp(
  [
    NUMBER,
    `(?<!${LETTER})(?:[cdjlmnst]|qu|jusqu|lorsqu|pu${I}squ|quo${I}qu)${APOSTROPHE}(?=${LETTER})`,
    `(?<=${LETTER})(?:${ENDING}|${SUBJECT}|${NEGATION})`,
    `${LETTER}+?(?=${NEGATION})`,
    `${LETTER}+(?:(?!${ENDING}|${SUBJECT})(?:${APOSTROPHE}|${HYPHEN})${LETTER}+)*`,
    "\\.+",
    `${MARK}[${ACCENTS}]*`,
  ].join("|"),
  "giu",
);
const SPACES = new RegExp(`${MARK}+`, "gu");

/** The tokens of a text in order, {start, end}; `cut` is the rule: "words" or "spaces". */
export function tokens(text, cut = "words") {
  return Array.from(text.matchAll(cut === "spaces" ? SPACES : WORDS), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The places of the tokens that ranges touch, each once, in the order of the text. */
export function touched(ranges, cut) {
  const isIn = (token) => ranges.some(({ start, end }) => start < token.end && token.start < end);
  return cut.flatMap((token, place) => (isIn(token) ? [place] : []));
}

/** The ranges that cover these places: neighbours are one. */
export function rangesOf(places, cut) {
  const ranges = [];
  let last = -2;
  for (const place of [...new Set(places)].sort((a, b) => a - b)) {
    if (place === last + 1) ranges.at(-1).end = cut[place].end;
    else ranges.push({ ...cut[place] });
    last = place;
  }
  return ranges;
}

// A sentence ends behind these; a title has none, and ends with its line.
const ENDS = /^(?:\.+|[!?…;:])$/;

/** The places of the tokens that sentences begin with. */
export function sentences(text, cut) {
  return cut.flatMap(({ start }, place) => {
    const before = cut[place - 1];
    const isFirst = !before || text.slice(before.end, start).includes("\n");
    return isFirst || ENDS.test(text.slice(before.start, before.end)) ? [place] : [];
  });
}
