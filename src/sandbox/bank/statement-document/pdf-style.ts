/** The left margin of a page, in points. */
export const left = 48;

/** The right margin. */
export const right = 547;

/** The bank's colours on paper, which match its pages. */
export const colours = {
  accent: "#0f4c43",
  soft: "#eaf1ee",
  ink: "#16211f",
  muted: "#52605c",
  line: "#dcddd6",
};

/** Fonts that every PDF reader has. */
export const fonts = { plain: "Helvetica", bold: "Helvetica-Bold" };

// The characters of these fonts beyond Latin-1. Source: ISO 32000-1 annex D.2.
const beyondLatin1 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";

/** The text with a question mark for every character that the fonts do not have. */
export const printable = (text: string): string =>
  text.replace(/[^\x20-\x7e\xa0-\xff]/gu, (one) => (beyondLatin1.includes(one) ? one : "?"));
