// What a case of the conformance kit is, and what can become of it.
import type { CallName } from "#src/bank/port-answers.ts";
import type { BankFile } from "./bank-file.ts";
import type { Kit } from "./kit.ts";

/** An operation that a case calls. */
export type KitOperation = CallName | "readAbout" | "readChanges" | "readTestCode";

/** What a case needs of the file, or of its accounts. */
export type FileMember =
  | Exclude<keyof BankFile, "customers" | "accounts" | "skip" | "factsWithinSeconds">
  | Exclude<keyof BankFile["accounts"], "own" | "other">;

/** One question to a core. */
export type KitCase = {
  /** Such as `K4-12`. It never changes its meaning. */
  id: string;
  /** One claim about the core, in the present tense. */
  title: string;
  /** What it calls. A core that lacks one of them is not asked. */
  calls: readonly KitOperation[];
  /** What it needs of bank.json. */
  asks?: readonly FileMember[];
  /** The rule of the contract that it checks. */
  rule: string;
  run(kit: Kit): Promise<void>;
};

/** Cases about one subject, in one file. */
export type KitGroup = {
  /** Such as `K4`. */
  id: string;
  /** As `--only` names it. */
  name: string;
  about: string;
  cases: readonly KitCase[];
};
