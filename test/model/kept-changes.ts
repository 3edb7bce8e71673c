import { type Calls, type Done, isBefore, type KeptChange } from "./calls.ts";
import { groupBy, type Rule } from "./rule.ts";
import { consentGraphs, mayFollow, orderGraphs } from "./statuses.ts";

// The bank's own history in the end. It shows what no client has seen in between.

const graphs = [...orderGraphs, ...consentGraphs];

/** A change of a status, and the status before it. */
type Step = { read: Done<"keptChanges">; before: string; change: KeptChange };

const steps = (calls: Calls): Step[] =>
  calls.done("keptChanges").flatMap((read) =>
    [...groupBy(read.told.changes, ({ subject }) => subject).values()].flatMap((its) =>
      its.slice(1).map((change, index) => {
        return { read, before: (its[index] as KeptChange).status, change };
      }),
    ),
  );

/** The rules about the history that a bank keeps. */
export const keptChangeRules: readonly Rule[] = [
  {
    claim: "the kept history only moves forward",
    *breaches(calls) {
      for (const { before, change } of steps(calls)) {
        const { subject, status } = change;
        if (mayFollow(graphs, before, status)) continue;
        const text = `${subject} became ${status} after ${before}`;
        yield { subject, text, calls: [] };
      }
    },
  },
  {
    claim: "each change of an order by the bank has an event",
    *breaches(calls) {
      const listed = new Map(calls.done("keptEvents").map(({ client, told }) => [client, told]));
      const events = new Set(
        [...listed.values()].flatMap(({ events }) =>
          events.map(({ subject, sequence }) => `${subject} ${sequence}`),
        ),
      );
      const orders = groupBy(calls.done("order"), ({ told }) => told.orderId);
      const subscribed = groupBy(calls.done("subscribe"), ({ client }) => client);
      for (const { read, before, change } of steps(calls)) {
        const { subject, sequence, status, isOwn } = change;
        const [order] = orders.get(subject) ?? [];
        if (!order || !listed.has(read.client) || isOwn || status === before) continue;
        if (!subscribed.get(read.client)?.some((one) => isBefore(one, order))) continue;
        if (events.has(`${subject} ${sequence}`)) continue;
        const text = `${subject} became ${status} after ${before}, and no event says so`;
        yield { subject, text, calls: [order] };
      }
    },
  },
];
