import type { Finding, SourceFile } from "./source-files.ts";

// a form that is chosen by hand, or that does not follow its count
const ownPlurals = [
  /\$\{([^}]+)\} \$\{\1 === 1 \? "/,
  /=== 1 \? "1 \w[^`]*`\$\{(?!numberText)/,
  /^(?!.*=== 1 \?).*\$\{[\w.]*\b(?:length|size|count|attempts|pages|days)\} (?:\w+ )?[a-z]{2,}s\b/,
];

// what a command counts
const counted =
  /\$\{[^}]+\} (?:payments|consents|orders|changes|facts|calls|cases|lines|files|keys|notices)\b/;

/** A number of things is written with countOf, so that nobody reads "1 pages". */
export function checkPlurals({ path, text }: SourceFile): Finding[] {
  if (!path.startsWith("src/")) return [];
  const findings: Finding[] = [];
  text.split("\n").forEach((content, index) => {
    const isOwn = ownPlurals.some((one) => one.test(content));
    if (!isOwn && !(path.startsWith("src/cli/") && counted.test(content))) return;
    findings.push({ path, line: index + 1, message: "write the number of things with countOf" });
  });
  return findings;
}
