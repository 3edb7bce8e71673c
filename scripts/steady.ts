import type { Finding, SourceFile } from "./source-files.ts";

/** What a test may not contain, because it would fail at some hours or on a slow machine. */
const unsteady = [
  {
    pattern: /(?:until|after) \\d\\d:\\d\\d[^/(]/,
    message: "a day may follow the time: end the pattern after it",
  },
  {
    pattern: /waitForLoadState|"framenavigated"/,
    message: "the page before may still be there: use toNextPage",
    place: "test/browser.ts",
  },
];

/** A test passes at every hour, and on a slow machine. */
export function checkSteady({ path, text }: SourceFile): Finding[] {
  const findings: Finding[] = [];
  if (!path.startsWith("test/")) return findings;
  text.split("\n").forEach((content, index) => {
    for (const { pattern, message, place } of unsteady)
      if (path !== place && pattern.test(content))
        findings.push({ path, line: index + 1, message });
  });
  return findings;
}
