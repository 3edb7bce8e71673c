/** Texts that look different from what they are, by the trick that they use. */
export const deceptiveTexts: Readonly<Record<string, string>> = {
  "a right-to-left override": "Acme \u202egnp.exe",
  "a left-to-right override": "Acme \u202d00.01",
  "an isolate": "Acme \u2067Ltd\u2069",
  "a right-to-left mark": "Acme\u200f 00.1",
  "an Arabic letter mark": "Acme\u061c1",
  "a zero-width space": "Ac\u200bme",
  "a word joiner": "Ac\u2060me",
  "a byte order mark": "\ufeffAcme",
  "a soft hyphen": "Ac\u00adme",
  "a line separator": "Acme\u2028Amount 1.00",
  "a paragraph separator": "Acme\u2029Amount 1.00",
  "a Hangul filler": "Ac\u3164me",
  "a blank Braille pattern": "Ac\u2800me",
  "a variation selector": "Acme\ufe0f",
  "a tag character": "Acme\u{e0041}",
  "a private character": "Acme\ue000",
  "a combining grapheme joiner": "Ac\u034fme",
  "a stack of marks": `A${"\u0301\u0302".repeat(10)}cme`,
  "five marks": "A\u0301\u0302\u0303\u0304\u0305cme",
  "a mark on nothing": "\u0336\u0031Acme",
  "a new line": "Acme\nAmount 1.00",
};

/** Names that people and companies really have. */
export const honestTexts: readonly string[] = [
  "Zoë & Søn #1",
  "Łódź Ładna",
  "Nguyễn Thị Ánh".normalize("NFD"),
  "דוד כהן",
  "محمد علي",
  "नीतीश कुमार",
  "สมชาย ใจดี",
  "山田太郎",
];
