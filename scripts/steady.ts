import type { Finding, SourceFile } from "./source-files.ts";

// What leaves a page without waiting for the next one, and what reads a page as it is.
const leaves = String.raw`^(?!.*toNextPage)[^\n]*\.(?:click\([^\n]*|press\("(?:Enter|Space)")\);\n`;
const reads = String.raw`\.(?:text|url|shown|count|canApprove)\(\)|(?:text|inner)\w+\(|textOf\(`;

/** What a test may not contain, because it would fail at some hours, by chance or if it is slow. */
const unsteady = [
  {
    pattern: /(?:until|after) \\d\\d:\\d\\d[^/(]/g,
    message: "a day may follow the time: end the pattern after it",
  },
  {
    pattern: /waitForLoadState|"framenavigated"/g,
    message: "the page before may still be there: use toNextPage",
    place: "test/browser.ts",
  },
  {
    pattern: new RegExp(`${leaves}[^\\n]*(?:${reads})`, "gim"),
    message: "the next line may read the page before: use toNextPage",
  },
  {
    pattern: /slice\(0, -[1-4]\)\}[\w-]{1,4}`/g,
    message: "the last characters may be these, or stand for the same bytes: replace eight",
  },
  {
    pattern: /\.listen\((?:port: )?[1-9]\d/g,
    message: "another program may have the port: use freePort, or 0",
  },
  {
    pattern: /doesNotMatch\([^\n]*[/|(]\d{1,5}[/|)]/g,
    message: "a time or an id may contain these digits: look for a word",
  },
];

/** A test passes at every hour, whatever it draws, and on a slow machine. */
export function checkSteady({ path, text }: SourceFile): Finding[] {
  if (!path.startsWith("test/")) return [];
  return unsteady.flatMap(({ pattern, message, place }) =>
    path === place
      ? []
      : [...text.matchAll(pattern)].map(({ index }) => {
          const line = text.slice(0, index).split("\n").length;
          return { path, line, message };
        }),
  );
}
