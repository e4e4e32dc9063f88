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
  return Array.from(text.matchAll(WORD), (found) => ({
    start: found.index,
    end: found.index + found[0].length,
    text: found[0],
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

/** Where a term stands: whole words, whatever their case and accents, plural or feminine endings too. */
export function occurrences(text, term) {
  const wanted = folded(term.trim()).plain.replace(/\s+/g, " ");
  if (!wanted) return [];
  const { plain, from } = folded(text);
  const escaped = wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "\\s+");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?:e?s|e|x)?(?![\\p{L}\\p{N}])`, "gu");
  return Array.from(plain.matchAll(pattern), (found) => ({
    start: from[found.index],
    end: from[found.index + found[0].length],
  }));
}
