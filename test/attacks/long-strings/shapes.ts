const length = 64_000;

const repeat = (part: string): string =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);
const nest = (open: string, close: string): string =>
  open.repeat(length / 2) + close.repeat(length / 2);

// a body that is larger than this is not read at all
const mostBytes = 110_000;

/** Shortens a text of which JSON needs too many bytes. */
function shorten(text: string): string {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  return bytes > mostBytes ? text.slice(0, (text.length * mostBytes) / bytes) : text;
}

const whole: Readonly<Record<string, string>> = {
  zeros: `1.${"0".repeat(length)}1`,
  spaces: `a${" ".repeat(length)}b`,
  "white space": `a${repeat("\t \u00a0")}b`,
  letters: "a".repeat(length),
  "nested brackets": nest("[", "]"),
  "nested braces": nest('{"a":', "}"),
  "open brackets": repeat("(<["),
  "combining marks": `e${repeat("\u0301\u0323")}`,
  "joined pictographs": repeat("\u{1f469}\u200d"),
  separators: repeat("a,;"),
  slashes: repeat("/"),
  dots: repeat("a."),
  "quotation marks": repeat('"a'),
  backslashes: repeat("\\"),
  "percent signs": repeat("%2"),
  "escaped names": `CN=${repeat("\\2c")}`,
  colons: repeat("1:"),
  dashes: repeat("-----BEGIN "),
  markup: repeat("<!--<a "),
};

/** Long strings on which a careless expression or loop needs quadratic time, by their shapes. */
export const shapes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(whole).map(([shape, text]) => [shape, shorten(text)]),
);
