import { faultOfJson } from "./json-fault.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });
const maximumDepth = 64;

/**
 * Parses bytes as one JSON object. If they are not UTF-8, not JSON, not an object, repeat a member
 * or are nested deeper than 64 levels, it throws the error that `refuse` makes. `why` completes a
 * sentence whose subject is the parsed thing.
 */
export function parseJsonObject(
  bytes: Uint8Array,
  refuse: (why: string) => Error,
): Record<string, unknown> {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw refuse("must be UTF-8");
  }
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(`must be JSON: ${faultOfJson(text)}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw refuse("must be a JSON object");
  }
  const fault = faultOfMembers(text, value);
  if (fault !== null) throw refuse(fault);
  return value as Record<string, unknown>; // checked above
}

// `text` is known to be the JSON of `value`, so only strings, brackets and colons have to be
// recognised. A member that is repeated in `text` is in `value` once.
function faultOfMembers(text: string, value: unknown): string | null {
  let depth = 0;
  let named = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34: // "
        at = endOfString(text, at);
        break;
      case 58: // :
        named += 1;
        break;
      case 91: // [
      case 123: // {
        depth += 1;
        if (depth > maximumDepth) return `is nested deeper than ${maximumDepth} levels`;
        break;
      case 93: // ]
      case 125: // }
        depth -= 1;
        break;
    }
  }
  return named === countMembers(value) ? null : `has the member ${repeatedIn(text)} twice`;
}

const longestName = 40;

/** The name that an object in a JSON text has twice, in quotes. */
function repeatedIn(text: string): string {
  const names: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") names.push(new Set());
    else if (character === "}" || character === "]") names.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const isName = /^[ \t\r\n]{0,100}:/.test(text.slice(end + 1, end + 102));
      const name = String(JSON.parse(text.slice(at, end + 1)));
      if (isName && names.at(-1)?.has(name)) return JSON.stringify(name.slice(0, longestName));
      if (isName) names.at(-1)?.add(name);
      at = end;
    }
  }
  return "of an object";
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at);
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const member of value) count += countMembers(member);
    return count;
  }
  for (const name in value) count += 1 + countMembers((value as Record<string, unknown>)[name]);
  return count;
}
