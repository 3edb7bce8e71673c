// Shared by the structure checks: the files that they read, and the format of their findings.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A source file as the checks read it. */
export type SourceFile = { path: string; text: string };

/** One finding, with its line number (from 1). */
export type Finding = { path: string; line: number; message: string };

/** The folder of the checkout. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Reads the files that match git's patterns, including untracked but not deleted files. A `*` also
 * matches slashes: `src/*.ts` is every TypeScript file below `src/`.
 */
export function readSourceFiles(...patterns: string[]): SourceFile[] {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", ...patterns],
    { cwd: root, encoding: "utf8" },
  );
  return listed
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** Prints the findings of a check, and returns its exit code. */
export function report(check: string, fileCount: number, findings: readonly Finding[]): number {
  for (const { path, line, message } of findings) console.error(`${path}:${line}: ${message}`);
  console.log(`${check}: ${fileCount} files, ${findings.length} findings`);
  return findings.length === 0 ? 0 : 1;
}
