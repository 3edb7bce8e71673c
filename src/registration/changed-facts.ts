/** Changed facts by their path, each with the value before and after. */
export type ChangedFacts = Record<string, readonly [before: unknown, after: unknown]>;

/** Compares two objects, and the objects that both have in the same member. */
export function changedFacts(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): ChangedFacts {
  const changes: ChangedFacts = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[name] ?? null, after[name] ?? null];
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    if (!isObject(one) || !isObject(other)) {
      changes[name] = [one, other];
      continue;
    }
    for (const [member, values] of Object.entries(changedFacts(one, other))) {
      changes[`${name}.${member}`] = values;
    }
  }
  return changes;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
