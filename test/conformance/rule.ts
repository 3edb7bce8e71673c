/** A rule as a row of its table: the id, a summary and, if it is out of scope, the reason. */
export type RuleRow = readonly [id: string, summary: string, outOfScope?: string];

/** A rule of the standard, in our own words. */
export type Rule = {
  id: string;
  summary: string;
  /** True, or the reason why the rule is out of scope. */
  inScope: true | string;
};

export const editorial = "does not affect requests or responses";

/** Conditional rules whose condition this bank does not meet. */
export const conditional = {
  details: "conditional: payment details are served for every kind",
} as const;
