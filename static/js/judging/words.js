// Pure functions on texts: offsets, words, differences, occurrences. Nothing here knows the page.
// Positions are UTF-16 units, as the browser counts, except where a name says code points.

const WORD = /\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu;

/** Tables between UTF-16 units and code points, which is what the server counts. */
export function offsets(text) {
  const unitOf = [];
  const pointOf = new Array(text.length + 1);
  let unit = 0;
  for (const character of text) {
    pointOf.fill(unitOf.length, unit, unit + character.length);
    unitOf.push(unit);
    unit += character.length;
  }
  pointOf[unit] = unitOf.length;
  unitOf.push(unit);
  return { toPoint: (u) => pointOf[u], toUnit: (p) => unitOf[Math.max(0, Math.min(p, unitOf.length - 1))] };
}

/** Words, numbers and punctuation marks as {start, end, text}. */
export function words(text) {
  return Array.from(text.matchAll(WORD), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0],
  }));
}

/** The range without space around it, grown to whole words; null where it holds no word. */
export function snap(text, start, end) {
  const touched = words(text).filter((word) => word.start < end && word.end > start);
  if (!touched.length) return null;
  return { start: touched[0].start, end: touched[touched.length - 1].end };
}

/** Ranges of words that stand only in `before`, and only in `after` (longest common subsequence). */
export function differences(before, after) {
  const [left, right] = [words(before), words(after)];
  const [a, b] = [left.map(comparable), right.map(comparable)];
  // Two texts of thousands of words each would take too long; they are no pair of short clauses.
  if (a.length * b.length > 9e6) return { removed: [], added: [] };
  const kept = commonSubsequence(a, b);
  const keptLeft = new Set(kept.map(([i]) => i));
  const keptRight = new Set(kept.map(([, j]) => j));
  return { removed: runs(before, left, keptLeft), added: runs(after, right, keptRight) };
}

const comparable = (word) => word.text.normalize("NFC").toLocaleLowerCase("fr").replace("’", "'");

function commonSubsequence(a, b) {
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] =
        a[i] === b[j]
          ? length[(i + 1) * width + j + 1] + 1
          : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
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

function runs(text, list, kept) {
  const ranges = [];
  list.forEach((word, index) => {
    if (kept.has(index)) return;
    const last = ranges[ranges.length - 1];
    if (last && last.index === index - 1) Object.assign(last, { end: word.end, index });
    else ranges.push({ start: word.start, end: word.end, index });
  });
  return ranges.map(({ start, end }) => ({ start, end }));
}

/** Lower case without accents, and for each of its units the unit of `text` it comes from. */
export function folded(text) {
  let plain = "";
  const from = [];
  let unit = 0;
  for (const character of text) {
    const base = character.normalize("NFD").replace(/\p{M}/gu, "").replace("’", "'").toLowerCase();
    plain += base;
    for (let i = 0; i < base.length; i++) from.push(unit);
    unit += character.length;
  }
  from.push(unit);
  return { plain, from };
}

// Words that only tie others together. They stand as they are: « le » is not the singular of « les » to a reader
// who looks for « le ».
const TYING = new Set(
  `a afin ai ainsi alors apres au aucun aucune aussi autre autres aux avant avec avoir c car ce ceci cela celle celles
  celui ces cet cette ceux chaque chez ci comme contre d dans de depuis des dont du durant elle elles en entre est et
  etait ete etre eu fait font hors il ils j je jusqu jusque l la le les leur leurs lors lorsqu lorsque lui m ma mais
  me meme memes mes moi moins mon n ne ni non nos notre nous on ont or ou par parmi pas pendant peu peut peuvent plus
  pour pourra pourront pourvu pres qu quand que quel quelle quelles quels qui quoi s sa sans sauf se selon sera seront
  ses si soi soient soit son sont sous sur t ta tant te tel telle telles tels tes toi ton tous tout toute toutes tu un
  une unes uns vers voici vos votre vous y`.split(/\s+/),
);

/** Whether the word, folded, is an article, a pronoun, a preposition or a like word. */
export const isTying = (word) => TYING.has(word);

/** A folded word as a pattern: with the endings of number and gender, or alone where it only ties others together. */
function inflected(word) {
  if (isTying(word) || !/^\p{L}{2,}$/u.test(word)) return word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const singular = word.length > 3 ? word.replace(/(?<=[^s])s$|(?<=[ae]u)x$/, "") : word;
  if (/.ai?l$|..aux?$/.test(singular)) return `${singular.replace(/ai?l$|aux?$/, "")}(?:ai?ls?|ales?|aux?)`;
  return `${singular}(?:e?s|e|x)?`;
}

/** Where terms stand in a text: whole words, whatever their case and accents, plural or feminine endings too. */
export function finder(text) {
  const { plain, from } = folded(text);
  return (term) => {
    const wanted = folded(term).plain.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]|\s+/gu) ?? [];
    const pattern = wanted.map((part) => (/^\s/.test(part) ? " " : inflected(part))).join("").trim();
    if (!pattern) return [];
    const expression = new RegExp(`(?<![\\p{L}\\p{N}])${pattern.replaceAll(" ", "\\s+")}(?![\\p{L}\\p{N}])`, "gu");
    return Array.from(plain.matchAll(expression), (match) => ({
      start: from[match.index],
      end: from[match.index + match[0].length],
    }));
  };
}

export const occurrences = (text, term) => finder(text)(term);
