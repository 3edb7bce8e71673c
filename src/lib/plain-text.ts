// Characters that are invisible or change how their neighbours are shown: controls, formatting
// (bidirectional overrides, zero-width), line separators, fillers, and pictographs.
const deceptive =
  String.raw`\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Extended_Pictographic}` +
  String.raw`\u2800`;

/** More marks on one letter than any modern script uses; they would cover the lines around it. */
const marksAtMost = 4;

const printable = /^[ -~]*$/;
const undeceptive = new RegExp(`^[^${deceptive}]*$`, "u");
const markWithoutLetter = /^\p{M}/u;
const manyMarks = new RegExp(String.raw`\p{M}{${marksAtMost + 1}}`, "u");

/**
 * Matches text without deceptive characters, without a mark that has no letter, and with at most
 * four marks per letter. Source: P-072.
 */
export const plainText: Pick<RegExp, "test"> = {
  test: (text) =>
    printable.test(text) ||
    (undeceptive.test(text) && !markWithoutLetter.test(text) && !manyMarks.test(text)),
};

/** The rule of `plainText`, worded to follow "must". */
export const plainTextRule =
  "contain only visible characters that the payment systems carry: no control, formatting or " +
  `invisible characters, no pictographs, and at most ${marksAtMost} accents per letter`;

// names from a bank may contain joiners, and texts may contain line breaks
const shownAsUnknown =
  /(?![\n\r\t\u200c\u200d])(?:[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f)/gu;
const tooManyMarks = new RegExp(String.raw`(\p{M}{${marksAtMost}})\p{M}+`, "gu");
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Makes a text safe to show among others. Deceptive characters become `\ufffd`, marks beyond the
 * fourth on a letter are left out, a mark without a letter gets a circle, and right-to-left text is
 * isolated so that it does not move its neighbours.
 */
export function shownText(text: string): string {
  if (printable.test(text)) return text;
  const shown = text
    .replace(shownAsUnknown, "\ufffd")
    .replace(tooManyMarks, "$1")
    .replace(/^(?=\p{M})/u, "\u25cc");
  return rightToLeft.test(shown) ? `\u2068${shown}\u2069` : shown;
}

/**
 * A value of unknown type as text, which never throws. A list is its members, an object its JSON,
 * an error its message, and undefined nothing. `String` throws for an object from JSON that has a
 * member `toString`.
 */
export function textOf(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join(" ");
  if (value instanceof Error) return value.message;
  return typeof value === "object" ? (JSON.stringify(value) ?? "") : String(value);
}

/**
 * The first characters of a text. A pictograph that does not fit becomes the sign for an unknown
 * character, because half of one can be stored nowhere.
 */
export const firstOf = (text: string, length: number): string =>
  text.slice(0, length).toWellFormed();

/** The beginning of a text, with `…` after it if the text is longer. */
export const beginningOf = (text: string, length: number): string =>
  text.length > length ? `${firstOf(text, length)}…` : text;

/** The text with a capital letter at the beginning. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A number of things in words, such as `1 try` and `2 tries`. */
export const countOf = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** Whether the database can hold a text: PostgreSQL takes no NUL, and no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();
