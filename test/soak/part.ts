import type { History } from "#test/model/history.ts";

/** The options of a part of the soak. */
export type PartOptions = {
  seed: number;
  /** The share of the full size, more than 0 and at most 1. */
  size: number;
  /** The only request to send and show, for parts that number their requests; null for all. */
  request: number | null;
  /** simulate, planted: how many banks; null for as many as the size says. */
  banks: number | null;
  /** simulate, dates: when the time begins; simulate: the only bank. Null for the usual ones. */
  begin: string | null;
  path: string | null;
  replay: string | null;
  /** simulate: the most commands of a bank; null for the usual number. */
  commands: number | null;
  /** simulate: whether what was simulated is noted on its page. */
  record: boolean;
  /** planted: only faults without a seed for the present commands, and only by simulations. */
  missing: boolean;
  /** The only faults to strike with, for parts that name them; empty for all. */
  only: readonly string[];
  /** Shows the progress of the part. */
  say(text: string): void;
  /** Where the part may record what its clients are told. Kept if the part finds anything. */
  history: History;
};

/** The result of a part. */
export type Outcome = {
  /** A description of the attack, for the table at the end. */
  counts: Readonly<Record<string, number | string>>;
  /** The findings: one or more lines each. */
  findings: readonly string[];
  /** Why the part was skipped; absent if it ran. */
  skipped?: string;
};

/** A part of the soak: one row of the registry. */
export type Part = {
  name: string;
  about: string;
  run(options: PartOptions): Promise<Outcome>;
};

/** Scales a full count to the size of the run. Returns at least one. */
export const sized = (full: number, { size }: Pick<PartOptions, "size">): number =>
  Math.max(1, Math.round(full * size));
