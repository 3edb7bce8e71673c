import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";

/** A text on a page and its position. y is measured from the bottom of the page. */
export type PlacedText = { x: number; y: number; text: string };

const object = /^(\d+) 0 obj\n/;

/**
 * Reads the texts of one of our PDFs, page by page. Throws if the objects are not where the file's
 * cross-reference table says.
 */
export function readPdf(bytes: Buffer): PlacedText[][] {
  const text = bytes.toString("latin1");
  assert.match(text, /^%PDF-1\.\d\n/);
  const [, start] = /startxref\n(\d+)\n%%EOF\n?$/.exec(text) ?? [];
  assert.ok(start, "the file names its cross-reference table");
  const table = text.slice(Number(start));
  assert.match(table, /^xref\n0 (\d+)\n/);
  const offsets = [...table.matchAll(/^(\d{10}) 00000 n\s*$/gm)].map(([, at]) => Number(at));
  const objects = new Map<string, string>();
  for (const [index, at] of offsets.entries()) {
    const found = object.exec(text.slice(at, at + 40));
    assert.equal(Number(found?.[1]), index + 1, `object ${index + 1} is where it should be`);
    objects.set(String(index + 1), text.slice(at, text.indexOf("\nendobj", at)));
  }
  const pages = [...objects.values()].filter((one) => /\/Type \/Page\b(?!s)/.test(one));
  const [, count] = /\/Count (\d+)/.exec([...objects.values()].join("\n")) ?? [];
  assert.equal(pages.length, Number(count));
  return pages.map((page) => {
    const [, contents = ""] = /\/Contents (\d+) 0 R/.exec(page) ?? [];
    return textsOf(streamOf(objects.get(contents) ?? ""));
  });
}

function streamOf(content: string): string {
  const from = content.indexOf("stream\n") + "stream\n".length;
  const [, length] = /\/Length (\d+)/.exec(content) ?? [];
  const bytes = Buffer.from(content.slice(from, from + Number(length)), "latin1");
  return inflateSync(bytes).toString("latin1");
}

// matches `1 0 0 1 x y Tm` and then `[<hex> kerning <hex>] TJ`
function textsOf(stream: string): PlacedText[] {
  const texts: PlacedText[] = [];
  let place = { x: 0, y: 0 };
  for (const line of stream.split("\n")) {
    const matrix = /^1 0 0 1 (-?[\d.]+) (-?[\d.]+) Tm$/.exec(line);
    if (matrix) place = { x: Number(matrix[1]), y: Number(matrix[2]) };
    if (!line.endsWith(" TJ")) continue;
    const hex = [...line.matchAll(/<([\da-f]*)>/g)].map(([, digits = ""]) => digits).join("");
    texts.push({ ...place, text: Buffer.from(hex, "hex").toString("latin1") });
  }
  return texts;
}
