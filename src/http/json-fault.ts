// a token, or the space before one; of a string, the quote
const token = /[ \t\r\n]+|"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{},:]/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Wanted = "value" | "value or ]" | "name" | "name or }" | "colon" | "comma" | "end";

/** What may come next, in the words of a message. */
const words: Readonly<Record<Wanted, string>> = {
  value: "a value",
  "value or ]": "a value or `]`",
  name: "a member's name in double quotes",
  "name or }": "a member's name in double quotes, or `}`",
  colon: "`:`",
  comma: "`,` or the closing bracket",
  end: "the end",
};

/**
 * Says where a text stops being JSON, what would be expected there, and what is there: at most one
 * character of the text. It reads the text once.
 */
export function faultOfJson(text: string): string {
  const open: string[] = [];
  let wanted: Wanted = "value";
  let at = 0;
  while (at < text.length) {
    const found = tokenAt(text, at);
    if (found === null) break;
    if (!/^[ \t\r\n]/.test(found)) {
      const next = after(found, wanted, open);
      if (next === null) break;
      wanted = next;
    }
    at += found.length;
  }
  const byte = Buffer.byteLength(text.slice(0, at)) + 1;
  const isBroken = text[at] === '"' && tokenAt(text, at) === null;
  const there = isBroken ? "found a string that is not closed or has a wrong character" : null;
  const found = there ?? (at < text.length ? `found ${shown(text, at)}` : "it ends");
  return `expected ${words[wanted]} at byte ${byte}, but ${found}`;
}

/** The token at a place; null if there is none, or a string that does not end. */
function tokenAt(text: string, at: number): string | null {
  token.lastIndex = at;
  const [found = null] = token.exec(text) ?? [];
  if (found !== '"') return found;
  let next = at + 1;
  while (text[next] !== '"') {
    if (text[next] === "\\") {
      escaped.lastIndex = next;
      const length = escaped.exec(text)?.[0].length;
      if (length === undefined) return null;
      next += length;
    } else if (next < text.length && text.charCodeAt(next) >= 0x20) next += 1;
    else return null;
  }
  return text.slice(at, next + 1);
}

/** What is wanted after a token; null if the token may not be there. */
function after(found: string, wanted: Wanted, open: string[]): Wanted | null {
  const outer = open.at(-1);
  if (found === "]" || found === "}") {
    const isEmpty = wanted === `${found === "]" ? "value" : "name"} or ${found}`;
    const closes = wanted === "comma" && outer === (found === "]" ? "[" : "{");
    if (!isEmpty && !closes) return null;
    open.pop();
    return open.length > 0 ? "comma" : "end";
  }
  if (wanted === "colon") return found === ":" ? "value" : null;
  if (wanted === "comma") return found !== "," ? null : outer === "[" ? "value" : "name";
  if (wanted === "name" || wanted === "name or }") return found.startsWith('"') ? "colon" : null;
  if (wanted === "end" || found === "," || found === ":") return null;
  if (found === "[" || found === "{") {
    open.push(found);
    return found === "[" ? "value or ]" : "name or }";
  }
  return open.length > 0 ? "comma" : "end";
}

/** The character, if it can be printed and is ASCII, or its number. */
function shown(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0;
  if (code > 0x20 && code < 0x7f) return `\`${text[at]}\``;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
