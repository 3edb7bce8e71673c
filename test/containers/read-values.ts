/**
 * Reads the part of YAML in which this project writes the values of its chart: maps by indentation,
 * lists of maps in braces, and plain values. Helm reads the same files where it is installed.
 */
export function readValues(text: string): Record<string, unknown> {
  const lines = text.split("\n").filter((line) => /^ *[^ #]/.test(line));
  const values = readMap(lines, 0);
  if (lines[0] !== undefined) throw new Error(`cannot read: ${lines[0]}`);
  return values;
}

/** Takes the lines of a map, which are indented by so many spaces. */
function readMap(lines: string[], indent: number): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const item = new RegExp(`^ {${indent}}([\\w./-]+):(?: +(.+?))?(?: +#.*)?$`);
  for (let found = item.exec(lines[0] ?? ""); found; found = item.exec(lines[0] ?? "")) {
    lines.shift();
    const [, key = "", value] = found;
    if (value !== undefined) values[key] = readValue(value);
    else if (/^ *- /.test(lines[0] ?? "")) values[key] = readList(lines);
    else values[key] = readMap(lines, indent + 2);
  }
  return values;
}

function readList(lines: string[]): unknown[] {
  const items: unknown[] = [];
  while (/^ *- \{/.test(lines[0] ?? ""))
    items.push(readValue((lines.shift() ?? "").trim().slice(2)));
  return items;
}

/** Reads a value on one line: the words in braces become JSON. */
function readValue(text: string): unknown {
  if (!/^[[{"]/.test(text)) return readWord(text);
  const quoted = text.replace(/"[^"]*"|[\w./-]+/g, (word) =>
    word.startsWith('"') ? word : JSON.stringify(readWord(word)),
  );
  return JSON.parse(quoted);
}

function readWord(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^(0|[1-9]\d*)$/.test(text) ? Number(text) : text;
}
