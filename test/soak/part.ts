/** What a part of the soak is run with. */
export type PartOptions = {
  seed: number;
  /** Share of the full size, from above 0 to 1. */
  size: number;
  /** The one request that is to be shown, for parts that number theirs. */
  request: number | null;
  /** Shows where the part stands. */
  say(text: string): void;
};

/** What came of a part. */
export type Outcome = {
  /** What was done, for the table at the end. */
  counts: Readonly<Record<string, number | string>>;
  /** What should not be, each in a line or several. */
  findings: readonly string[];
  /** Why nothing was done. */
  skipped?: string;
};

/** A part of the soak: one row of the registry. */
export type Part = {
  name: string;
  about: string;
  run(options: PartOptions): Promise<Outcome>;
};

/** So many of a full count, at least one. */
export const sized = (full: number, { size }: Pick<PartOptions, "size">): number =>
  Math.max(1, Math.round(full * size));
