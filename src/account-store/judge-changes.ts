// Parts what a feeder sends into what keeps the rules and what does not. Nothing that a part of a
// call contains refuses the rest of it.
import { isObject } from "#src/lib/assert.ts";
import { type FactCheck, keyOfFact, type RefusedFact, storableText } from "./check-facts.ts";
import { type FactKind, factKinds, removalMembers } from "./fact-rules.ts";
import { type AccountChanges, clusters } from "./feed.ts";
import { type OwnedRefusal, ofPages, withOwners } from "./forget-refusals.ts";
import { judgeTime, type Times } from "./future-times.ts";
import { keyOfDelivery, type SourcePosition } from "./keep-place.ts";

/** What is stored of a call, and what is not. */
export type JudgedChanges = {
  kept: AccountChanges;
  position: SourcePosition;
  refused: OwnedRefusal[];
};

/** Takes note of something that is not stored. `about` names the account and the customer. */
export type Refuse = (refused: RefusedFact, about?: unknown) => void;

/** The refusal of a member of the changes that is neither a fact, a removal nor a delivery. */
export const noSuchMember = (
  name: string,
  members: readonly string[],
  within = "",
): RefusedFact => ({
  kind: ofPages,
  key: "",
  path: storableText(`${within}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  rule: `is unknown; it must be one of ${members.join(", ")}`,
});

/** The kinds of facts that can be removed. */
const removableKinds = factKinds.filter((kind) => kind !== "statuses");

/** The objects of a list, or one object. What is left out, or null, is an empty list. */
export function objectsOf(value: unknown, kind: string, refuse: Refuse): object[] {
  if (value === null || value === undefined) return [];
  return [value].flat().filter((one, index): one is object => {
    if (!isObject(one)) refuse({ kind, key: "", path: `/${index}`, rule: "must be an object" });
    return isObject(one);
  });
}

/** The lists of removals, each with its kind. */
export function removalsOf(value: unknown, refuse: Refuse): [kind: FactKind, object[]][] {
  if (value === null || value === undefined) return [];
  if (!isObject(value)) {
    const rule = "must be an object, with an array for each kind";
    refuse({ kind: ofPages, key: "", path: "/removed", rule });
    return [];
  }
  return Object.entries(value).flatMap(([name, list]): [FactKind, object[]][] => {
    const kind = removableKinds.find((one) => one === name);
    if (kind) return [[kind, objectsOf(list, `removed ${kind}`, refuse)]];
    refuse(noSuchMember(name, removableKinds, "/removed"));
    return [];
  });
}

function removalFault(kind: FactKind, removal: object): Pick<RefusedFact, "path" | "rule"> | null {
  const members = removal as Readonly<Record<string, unknown>>;
  const missing = removalMembers(kind).find((name) => typeof members[name] !== "string");
  if (missing) return { path: `/${missing}`, rule: "must be a text" };
  const { version: number } = members;
  if (typeof number === "bigint") return null;
  return { path: "/version", rule: "must be a whole number, and above 9007199254740991 as text" };
}

function deliveryFault(delivery: object): Pick<RefusedFact, "path" | "rule"> | null {
  const { accountId, cluster, asOf } = delivery as Readonly<Record<string, unknown>>;
  if (typeof accountId !== "string") return { path: "/accountId", rule: "must be a text" };
  if (!(clusters as readonly unknown[]).includes(cluster)) {
    return { path: "/cluster", rule: `must be one of ${clusters.join(", ")}` };
  }
  if (asOf === "live" || asOf instanceof Temporal.Instant) return null;
  return { path: "/asOf", rule: 'must be a date-time with an offset, or "live"' };
}

/**
 * Parts the changes and the mark that keep the rules from those that do not. A mark says that
 * nothing is missing, so it is not taken from a page of which a part cannot be read.
 */
export function judgeChanges(
  check: FactCheck,
  changes: AccountChanges,
  { deliveredUpTo, ...place }: SourcePosition,
  times: Times,
  refusedBefore: readonly OwnedRefusal[],
): JudgedChanges {
  const refused = [...refusedBefore];
  const refuse: Refuse = (fault, about = {}) => void refused.push(withOwners(fault, about));
  const timely = <Timed extends object>(kind: string, key: string, fact: Timed): Timed[] => {
    const judged = judgeTime(kind, fact, times);
    if (!judged.fault) return [judged.fact];
    refuse({ kind, key, ...judged.fault }, fact);
    return [];
  };
  // a kind without facts is left out, because each kind has a lock
  const kept: Record<string, unknown> = {};
  for (const kind of factKinds) {
    const right = objectsOf(changes[kind], kind, refuse).flatMap((fact) => {
      const fault = check(kind, fact);
      if (fault) refuse(fault, fact);
      return fault ? [] : timely(kind, keyOfFact(kind, fact), fact);
    });
    if (right.length > 0) kept[kind] = right;
  }
  const removed = removalsOf(changes.removed, refuse).flatMap(([kind, list]) => {
    const right = list.filter((one) => {
      const fault = removalFault(kind, one);
      if (fault) refuse({ kind: `removed ${kind}`, key: keyOfFact(kind, one), ...fault }, one);
      return !fault;
    });
    return right.length > 0 ? [[kind, right]] : [];
  });
  kept.removed = Object.fromEntries(removed);
  kept.delivered = objectsOf(changes.delivered, "delivered", refuse).flatMap((one) => {
    const key = keyOfDelivery(one);
    const fault = deliveryFault(one);
    if (fault) refuse({ kind: "delivered", key, ...fault }, one);
    return fault ? [] : timely("delivered", key, one);
  });
  const key = "deliveredUpTo";
  let [mark] = deliveredUpTo ? timely("position", key, { deliveredUpTo }) : [];
  if (mark && refused.some(({ kind }) => kind === ofPages)) {
    refuse({
      kind: "position",
      key,
      path: `/${key}`,
      rule: "must come with a page without faults",
    });
    mark = undefined;
  }
  return { kept, position: { ...place, ...mark }, refused };
}
