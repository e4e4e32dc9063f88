// Terms of the original that the simplification seems to render by other words. Pure: it knows texts, not the page.
// It suggests: two texts are laid side by side by the words that they share, and what stands in the place of a term
// is taken for its rendering. Nothing here says that a rendering is wrong.
//
// Which words are terms: those of the glossary that stand in the original; where there is none, the nouns after an
// article that stand there twice or more, and those that name a party (the insurer, the tenant).

import { finder, folded, isTying, words } from "./words.js";

// More words than this in the place of a few, and nobody can say which of them renders what.
const MOST_IN_PLACE = 14;
const BEFORE_NOUNS = new Set(
  "le la les l un une des du au aux ce cet cette ces son sa ses leur leurs notre nos votre vos chaque tout toute aucun aucune".split(" "),
);
const PARTIES = new Set(
  `acheteur acquereur administrateur assisteur assure assureur bailleur beneficiaire cedant cessionnaire citoyen client
  compagnie conducteur consommateur creancier courtier debiteur emprunteur employeur entrepreneur exploitant fournisseur
  heritier locataire locateur mandant mandataire membre ministre organisme partie prestataire preneur preteur proprietaire
  representant salarie societe souscripteur succession tiers titulaire tuteur usager vendeur victime`
    .split(/\s+/)
    .map(stem),
);
const PRONOUNS = new Set(["nous", "vous"]);

/** What two forms of a word share: folded, without the endings of number and gender. */
export function stem(word) {
  const plain = folded(word).plain;
  if (isTying(plain) || plain.length < 4) return plain;
  return plain.replace(/aux$/, "al").replace(/(?:e?s|e|x)$/, "");
}

/** Words that say something, with their stems; `isNoun` where an article stands before them. */
function contentWords(text) {
  const content = [];
  let before = "";
  for (const word of words(text)) {
    const plain = folded(word.text).plain;
    if (/\p{L}/u.test(plain) && (!isTying(plain) || PRONOUNS.has(plain))) {
      content.push({ ...word, stem: stem(word.text), isNoun: BEFORE_NOUNS.has(before), isPronoun: PRONOUNS.has(plain) });
    }
    if (plain !== "'") before = plain;
  }
  return content;
}

/** Ranges of the original that are terms, by the term: [{ term, stems, ranges, isParty }]. */
function termsOf(original, list, glossary) {
  const find = finder(original);
  const named = glossary.map((term) => ({ term, ranges: find(term) })).filter(({ ranges }) => ranges.length);
  if (named.length) return named.map(({ term, ranges }) => ({ term, ranges, stems: contentWords(term).map((word) => word.stem) }));
  const byStem = new Map();
  for (const word of list) byStem.set(word.stem, [...(byStem.get(word.stem) ?? []), word]);
  const isTerm = (key, all) => all.some((word) => word.isNoun) && (all.length > 1 || PARTIES.has(key));
  return [...byStem]
    .filter(([key, all]) => key.length >= 4 && isTerm(key, all))
    .map(([key, all]) => ({ term: all[0].text.toLocaleLowerCase("fr"), ranges: all, stems: [key] }));
}

/** Stretches between the words that both texts share in the same order: [[of the original, of the simplification]]. */
function places(left, right) {
  const width = right.length + 1;
  const length = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const isSame = left[i].stem === right[j].stem;
      length[i * width + j] = isSame
        ? length[(i + 1) * width + j + 1] + 1
        : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const gaps = [];
  let [from, to] = [0, 0];
  const close = (i, j) => (i > from && j > to ? gaps.push([left.slice(from, i), right.slice(to, j)]) : 0);
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (left[i].stem === right[j].stem) {
      close(i, j);
      [from, to] = [++i, ++j];
    } else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) i++;
    else j++;
  }
  close(left.length, right.length);
  return gaps;
}

/** The word of `there` that most likely renders the term at `index` of `here`; undefined where none does. */
function rendering(here, there, index, term, known) {
  if (Math.max(here.length, there.length) > MOST_IN_PLACE) return undefined;
  const isParty = term.stems.some((each) => PARTIES.has(each));
  const fits = (word) =>
    isParty ? word.isPronoun || PARTIES.has(word.stem) : word.isNoun && !word.isPronoun && !PARTIES.has(word.stem);
  const candidates = there.map((word, place) => ({ word, place })).filter(({ word }) => fits(word) && !known.has(word.stem));
  const expected = (index / here.length) * there.length;
  candidates.sort((a, b) => Math.abs(a.place - expected) - Math.abs(b.place - expected));
  return candidates[0]?.word;
}

/**
 * Terms that may be rendered otherwise: [{ term, kept, renderings, original, simplification }]. `kept`: how often the
 * term's own word stands in the simplification; `renderings`: the other words; the last two: ranges in UTF-16 units.
 */
export function renderings(original, simplification, glossary = []) {
  const [left, right] = [contentWords(original), contentWords(simplification)];
  // Two texts of thousands of words each are no pair of short clauses.
  if (left.length * right.length > 4e6) return [];
  const find = finder(simplification);
  const known = new Set(left.map((word) => word.stem));
  const stretches = places(left, right);
  return termsOf(original, left, glossary)
    .map((term) => {
      const isOf = (word) => term.ranges.some((range) => word.start >= range.start && word.end <= range.end);
      const rendered = [];
      for (const [here, there] of stretches) {
        here.forEach((word, index) => {
          if (!isOf(word) || word.stem !== term.stems.at(0)) return;
          const other = rendering(here, there, index, term, known);
          if (other && !rendered.includes(other)) rendered.push(other);
        });
      }
      const names = [...new Map(rendered.map((word) => [word.stem, word.text.toLocaleLowerCase("fr")])).values()];
      const ranges = rendered.map(({ start, end }) => ({ start, end }));
      const own = term.ranges.map(({ start, end }) => ({ start, end }));
      return { term: term.term, kept: find(term.term).length, renderings: names, original: own, simplification: ranges };
    })
    .filter(isWorthSaying);
}

/** One pronoun throughout (« l'assuré » as « vous ») is how plain language speaks to its reader. */
function isWorthSaying({ kept, renderings: names }) {
  return names.length > 1 || (names.length === 1 && (kept > 0 || !PRONOUNS.has(names[0])));
}
