import { readFileSync, writeFileSync } from "node:fs";

/** A table of a page, which a command writes. */
export type WrittenTable = {
  /** Returns the table as it is. */
  shown(): string;
  write(table: string): void;
};

/** Finds the table of a page that `npm run soak -- <part>` writes. */
export function writtenTable(part: string, page: string): WrittenTable {
  const file = new URL(`../../docs/${page}`, import.meta.url);
  const [begin, end] = [`<!-- npm run soak -- ${part}: begin -->\n`, "<!-- end -->"];
  const read = (): [before: string, table: string, after: string] => {
    const text = readFileSync(file, "utf8");
    const start = text.indexOf(begin) + begin.length;
    const stop = text.indexOf(end, start);
    return [text.slice(0, start), text.slice(start, stop), text.slice(stop)];
  };
  return {
    shown: () => read()[1],
    write(table) {
      const [before, , after] = read();
      writeFileSync(file, before + table + after);
    },
  };
}
