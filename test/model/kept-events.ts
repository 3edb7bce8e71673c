import { type Calls, type Done, isBefore } from "./calls.ts";
import { firsts } from "./events.ts";
import { groupBy, type Rule } from "./rule.ts";
import { isCode, orderSightings } from "./statuses.ts";

// What the bank has of the events in the end: one for each change, and each has arrived.

type Kept = Done<"keptEvents">["told"]["events"][number];

/** The events that the bank has for each client. */
const kept = (calls: Calls): { event: Kept; read: Done<"keptEvents"> }[] =>
  calls.done("keptEvents").flatMap((read) => read.told.events.map((event) => ({ event, read })));

/** The rules about the events that a bank keeps. */
export const keptEventRules: readonly Rule[] = [
  {
    claim: "every event arrives",
    *breaches(calls) {
      const arrived = new Set(firsts(calls).keys());
      // who settles an event has it, though its arrival may be in doubt
      for (const { client, asked } of calls.of("poll")) {
        for (const jti of Object.keys(asked.settles)) arrived.add(`${client} ${jti}`);
      }
      for (const { event, read } of kept(calls)) {
        if (arrived.has(`${read.client} ${event.jti}`)) continue;
        const { jti, subject } = event;
        yield { subject: jti, text: `${jti} of ${subject} never arrived`, calls: [] };
      }
    },
  },
  {
    claim: "an event that arrived is the bank's",
    *breaches(calls) {
      const known = new Set(kept(calls).map(({ event, read }) => `${read.client} ${event.jti}`));
      const listed = new Set(calls.done("keptEvents").map(({ client }) => client));
      for (const [id, { event, call }] of firsts(calls)) {
        if (known.has(id) || !listed.has(call.client)) continue;
        yield { subject: event.jti, text: `${event.jti} arrived and is not stored`, calls: [call] };
      }
    },
  },
  {
    claim: "a change has one event",
    *breaches(calls) {
      const sameChange = groupBy(
        kept(calls),
        ({ event, read }) => `${read.client} ${event.subject} ${event.sequence}`,
      );
      for (const [, [first, other]] of sameChange) {
        if (!first || !other) continue;
        const text = `${first.event.jti} and ${other.event.jti} report one change`;
        yield { subject: first.event.subject, text, calls: [] };
      }
    },
  },
  {
    claim: "a settled event is stored as its client settled it",
    *breaches(calls) {
      const states = new Map(
        kept(calls).map(({ event, read }) => [`${read.client} ${event.jti}`, event.state]),
      );
      const settlings = [
        ...calls
          .done("poll")
          .flatMap((call) =>
            Object.entries(call.asked.settles).map(([jti, settling]) => ({ jti, settling, call })),
          ),
        ...calls.of("arrive").flatMap((call) => {
          const { event, settling } = call.asked;
          return settling ? [{ jti: event.jti, settling, call }] : [];
        }),
      ];
      for (const { jti, settling, call } of settlings) {
        const state = states.get(`${call.client} ${jti}`);
        if (state === undefined || state === settling) continue;
        yield { subject: jti, text: `${jti} was ${settling}, and is ${state}`, calls: [call] };
      }
    },
  },
  {
    claim: "each status of an order that was seen has an event",
    *breaches(calls) {
      const events = groupBy(kept(calls), ({ event, read }) => `${read.client} ${event.subject}`);
      const listed = new Set(calls.done("keptEvents").map(({ client }) => client));
      const subscribed = groupBy(calls.done("subscribe"), ({ client }) => client);
      const seen = groupBy(
        orderSightings(calls).filter(({ status }) => isCode(status)),
        ({ subject }) => subject,
      );
      for (const order of calls.done("order")) {
        const { orderId } = order.told;
        if (!listed.has(order.client)) continue;
        if (!subscribed.get(order.client)?.some((one) => isBefore(one, order))) continue;
        const its = seen.get(orderId) ?? [];
        const statuses = [...new Set(its.map(({ status }) => status))];
        const count = events.get(`${order.client} ${orderId}`)?.length ?? 0;
        // the status of a new order is not an event
        if (count >= statuses.length - 1) continue;
        const text = `${orderId} was ${statuses.join(", ")}, and has ${count} events`;
        yield { subject: orderId, text, calls: its.map(({ call }) => call) };
      }
    },
  },
  {
    claim: "an event is about a resource of its client",
    *breaches(calls) {
      const owned = new Set([
        ...calls.done("lodge").map(({ client, told }) => `${client} ${told.consentId}`),
        ...calls.done("order").map(({ client, told }) => `${client} ${told.orderId}`),
        ...calls
          .done("keptOrders")
          .flatMap(({ client, told }) => told.orders.map(({ orderId }) => `${client} ${orderId}`)),
      ]);
      const complete = new Set(calls.done("keptOrders").map(({ client }) => client));
      // a lodging without an answer may have made a consent that its client does not know
      const unknown = calls.of("lodge").filter(({ outcome }) => outcome === "unknown");
      const left = groupBy(unknown, ({ client }) => client);
      for (const { event, call } of firsts(calls).values()) {
        const id = `${call.client} ${event.subject}`;
        if (!complete.has(call.client) || owned.has(id)) continue;
        owned.add(id);
        if (left.get(call.client)?.pop()) continue;
        const text = `${event.jti} is about ${event.subject}, which is not its client's`;
        yield { subject: event.jti, text, calls: [call] };
      }
    },
  },
];
