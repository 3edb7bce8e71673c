import type { PayeeCheck } from "#src/bank/assessment.ts";

// How names are compared: small differences in writing do not count, initials and typing errors
// make a close match.

const titles = new Set("mr mrs ms miss mx dr prof sir dame lord lady rev".split(" "));
const suffixes = new Set("ltd limited plc llp lp inc co company cic".split(" "));
const accents = /\p{Mark}/gu;

/** Compares the name that a payer gave with the holder's. */
export function comparePayee(given: string, holder: string): PayeeCheck {
  const wanted = wordsOf(given);
  const results = holdersIn(holder).map((words) => compareWords(wanted, words));
  if (results.includes("match")) return { result: "match" };
  return results.includes("close match")
    ? { result: "close match", name: holder }
    : { result: "no match" };
}

/** The words of a name, without titles, accents, punctuation and the form of a company. */
function wordsOf(name: string): string[] {
  const plain = name.normalize("NFD").replace(accents, "").toLowerCase();
  const all = plain
    .replace(/&/g, " and ")
    .replace(/['’.]/g, "")
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter((word) => word !== "" && !titles.has(word));
  while (all.length > 1 && suffixes.has(all.at(-1) ?? "")) all.pop();
  return all;
}

/** The names by which a holder may be called: all holders together, and each alone. */
function holdersIn(holder: string): string[][] {
  const whole = wordsOf(holder);
  const parts = holder.split(/ (?:and|&) /i).map(wordsOf);
  const surname = whole.at(-1) ?? "";
  // in "Ben and Chloe Whitfield", both have the last name
  const alone = parts.map((words) => (words.length === 1 ? [...words, surname] : words));
  return parts.length > 1 ? [whole, ...alone] : [whole];
}

function compareWords(given: string[], holder: string[]): PayeeCheck["result"] {
  const sorted = (words: string[]): string => words.toSorted().join(" ");
  if (given.length > 0 && sorted(given) === sorted(holder)) return "match";
  const [first, last] = [given[0] ?? "", given.at(-1) ?? ""];
  const isSameSurname = given.length > 1 && last === holder.at(-1);
  const isSubset = given.every((word) => holder.includes(word));
  if (isSameSurname && isSubset && first === holder[0]) return "match";
  const fits = (word: string): boolean =>
    holder.some((other) => other === word || (isInitial(word, other) && word[0] === other[0]));
  if (isSameSurname && given.every(fits)) return "close match";
  const isTypedWrong =
    given.length === holder.length &&
    given.every((word, index) => isNear(word, holder[index] ?? ""));
  return isTypedWrong ? "close match" : "no match";
}

/** Whether two words are the same but for one letter of a word that is not short. */
const isNear = (word: string, other: string): boolean =>
  word === other || (other.length > 3 && distance(word, other) === 1);

const isInitial = (word: string, other: string): boolean => word.length === 1 || other.length === 1;

/** How many letters must be added, left out or changed to make one text the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [place, wanted] of [...other].entries()) {
      const changed = (row[place] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
