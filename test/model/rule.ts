import type { Call, Calls } from "./calls.ts";

/** A breach of a rule: whom it is about, in words, and the calls that show it. */
export type Breach = { subject: string; text: string; calls: readonly Call[] };

/** A rule of the model: a claim about every history of a correct bank. */
export type Rule = { claim: string; breaches(calls: Calls): Iterable<Breach> };

/** The kinds of text by which a list can be split. */
type Keyed<T> = (one: T) => string | null;

/** Groups by a text. Leaves out what has none. */
export function groupBy<T>(all: readonly T[], keyOf: Keyed<T>): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}
