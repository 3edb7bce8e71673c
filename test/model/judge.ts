import { accessRules } from "./access.ts";
import { type Call, Calls } from "./calls.ts";
import { consentRules } from "./consents.ts";
import { eventRules } from "./events.ts";
import { keptChangeRules } from "./kept-changes.ts";
import { keptEventRules } from "./kept-events.ts";
import { keptOrderRules } from "./kept-orders.ts";
import { limitRules } from "./limits.ts";
import { moneyRules } from "./money.ts";
import { orderRules } from "./orders.ts";
import { pageRules } from "./pages.ts";
import type { Breach, Rule } from "./rule.ts";
import { tokenRules } from "./tokens.ts";

/** Every rule of the model. */
export const rules: readonly Rule[] = [
  ...consentRules,
  ...orderRules,
  ...keptOrderRules,
  ...limitRules,
  ...moneyRules,
  ...eventRules,
  ...keptEventRules,
  ...keptChangeRules,
  ...accessRules,
  ...pageRules,
  ...tokenRules,
];

/** A rule that a history breaks, and how. */
export type Finding = Breach & { rule: string };

/**
 * Judges a history: lists every rule that it breaks, with the calls that show it. A call without an
 * answer may have taken effect or not, and calls that overlap may have done so in any order, so a
 * finding is an error in each of these cases.
 */
export function judge(calls: readonly Call[]): Finding[] {
  const history = new Calls(calls);
  return rules.flatMap(({ claim, breaches }) => {
    const found = new Map<string, Finding>();
    for (const breach of breaches(history)) {
      // one finding for each subject: further calls would show the same
      if (!found.has(breach.subject)) found.set(breach.subject, { rule: claim, ...breach });
    }
    return [...found.values()];
  });
}

// A limit may be exceeded by any number of orders.
const mostCalls = 12;

/** A finding in words: the rule, the breach, and the part of the history that shows it. */
export function describe({ rule, text, calls }: Finding): string {
  const shown = calls.toSorted((one, other) => one.start - other.start).slice(0, mostCalls);
  const left = calls.length - shown.length;
  return [
    `${text} (broken: ${rule})`,
    ...shown.map((call) => `    ${describeCall(call)}`),
    ...(left > 0 ? [`    and ${left} more calls`] : []),
  ].join("\n");
}

/** A call on one line. */
function describeCall(call: Call): string {
  const { operation, client, asked, start, end, lines, outcome } = call;
  const ending = outcome === "ok" ? call.told : outcome === "refused" ? call.reasons : "no answer";
  const interval = `${start.toFixed(1)} to ${Number.isFinite(end) ? end.toFixed(1) : "?"} ms`;
  const text = `${operation} ${shorten(asked)}: ${outcome} ${shorten(ending)}`;
  return `lines ${lines.join(" and ")}, ${interval}, ${client}: ${text}`;
}

const shorten = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};
