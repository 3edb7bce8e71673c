import { readFileSync } from "node:fs";
import { readHistory } from "./history.ts";
import { describe, judge, rules } from "./judge.ts";

/** Judges the history in a file. Returns the findings in words, and how much was judged. */
export function judgeFile(path: string): { findings: string[]; calls: number; rules: number } {
  const calls = readHistory(readFileSync(path, "utf8").split("\n"));
  return { findings: judge(calls).map(describe), calls: calls.length, rules: rules.length };
}
