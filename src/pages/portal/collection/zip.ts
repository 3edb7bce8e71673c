import { crc32 } from "node:zlib";

// A ZIP archive whose files are not compressed. Every program that reads archives reads it.

const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const endOfCentral = 0x06054b50;
const version = 20;
const utf8Names = 0x0800;
/** 1 January 1980, the first day that the format knows: the same files make the same archive. */
const firstDay = 0x0021;

/** Packs texts into an archive, by their paths. */
export function zipOf(files: ReadonlyMap<string, string>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of files) {
    const name = Buffer.from(path);
    const data = Buffer.from(text);
    const facts = fileFacts(name, data);
    const header = Buffer.concat([numbers([4, localHeader], [2, version]), facts, name, data]);
    directory.push(
      numbers([4, centralHeader], [2, version], [2, version]),
      facts,
      numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
      name,
    );
    bodies.push(header);
    offset += header.length;
  }
  const central = Buffer.concat(directory);
  const count = files.size;
  const end = numbers([4, endOfCentral], [2, 0], [2, 0], [2, count], [2, count]);
  return Buffer.concat([
    ...bodies,
    central,
    end,
    numbers([4, central.length], [4, offset], [2, 0]),
  ]);
}

/** What both headers of a file say: how it is stored, its day, its sum, its lengths. */
const fileFacts = (name: Buffer, data: Buffer): Buffer =>
  numbers(
    [2, utf8Names],
    [2, 0],
    [2, 0],
    [2, firstDay],
    [4, crc32(data)],
    [4, data.length],
    [4, data.length],
    [2, name.length],
    [2, 0],
  );

function numbers(...parts: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  const made = parts.map(([bytes, value]) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntLE(value, 0, bytes);
    return buffer;
  });
  return Buffer.concat(made);
}
