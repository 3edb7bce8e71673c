/** What stands behind a refusal: ids of docs/conformance.md, publications, and what to do. */
export type Advice = {
  /** The member, header, claim or parameter; null if the answer names it. */
  where: string | null;
  /** What the bank expects there; null if the answer says it. */
  expected: string | null;
  rules: readonly string[];
  /** Parts of the publications. */
  sections: readonly string[];
  next: string;
};

/** A row of advice. `rules` are ids with spaces between. */
export const advise = (
  where: string | null,
  expected: string | null,
  next: string,
  rules = "",
  ...sections: string[]
): Advice => ({ where, expected, next, rules: rules === "" ? [] : rules.split(" "), sections });
