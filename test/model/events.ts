import { type ArrivedEvent, type Call, type Calls, type Done, isBefore } from "./calls.ts";
import { groupBy, type Rule } from "./rule.ts";

// The model of events: each change has one event, which arrives at least once and always with the
// same bytes, after the earlier events of its resource. What a client has settled does not return.

type Arrival = { event: ArrivedEvent; call: Call };

/** Lists what arrived, in the order in which the clients had it. */
function arrivals(calls: Calls): Arrival[] {
  const found: Arrival[] = [
    ...calls.done("poll").flatMap((call) => call.told.events.map((event) => ({ event, call }))),
    ...calls.of("arrive").map((call) => ({ event: call.asked.event, call })),
  ];
  return found.sort((one, other) => one.call.end - other.call.end);
}

const idOf = ({ event, call }: Arrival): string => `${call.client} ${event.jti}`;

/** The first arrival of each event. */
export const firsts = (calls: Calls): Map<string, Arrival> =>
  new Map(
    arrivals(calls)
      .toReversed()
      .map((one) => [idOf(one), one]),
  );

/** The rules about events. */
export const eventRules: readonly Rule[] = [
  {
    claim: "an event always has the same bytes",
    *breaches(calls) {
      const first = firsts(calls);
      for (const one of arrivals(calls)) {
        const before = first.get(idOf(one));
        if (!before || before.event.body === one.event.body) continue;
        const { jti } = one.event;
        yield {
          subject: jti,
          text: `${jti} arrived with other bytes`,
          calls: [before.call, one.call],
        };
      }
    },
  },
  {
    claim: "the events of a resource arrive in order",
    *breaches(calls) {
      const sequences = new Map(
        calls
          .done("keptEvents")
          .flatMap(({ told }) => told.events.map((one) => [one.jti, one.sequence])),
      );
      const inOrder = [...firsts(calls).values()].sort((a, b) => a.call.end - b.call.end);
      for (const [subject, its] of groupBy(inOrder, ({ event }) => event.subject)) {
        // without the bank's own list, only the seconds of the events are known
        const placeOf = ({ event }: Arrival) => sequences.get(event.jti) ?? event.toe;
        // all events of one poll arrive at once, so only those of earlier polls are compared
        for (const [index, one] of its.entries()) {
          const before = its
            .slice(0, index)
            .find((other) => other.call !== one.call && placeOf(other) > placeOf(one));
          if (!before) continue;
          const text = `${before.event.jti} of ${subject} arrived before ${one.event.jti}`;
          yield { subject, text, calls: [before.call, one.call] };
        }
      }
    },
  },
  {
    claim: "a settled event does not return",
    *breaches(calls) {
      const settled = new Map<string, Done<"poll">>();
      for (const poll of calls.done("poll").sort((a, b) => a.end - b.end)) {
        for (const jti of Object.keys(poll.asked.settles)) {
          const id = `${poll.client} ${jti}`;
          if (!settled.has(id)) settled.set(id, poll);
        }
      }
      for (const one of arrivals(calls)) {
        const before = settled.get(idOf(one));
        if (!before || !isBefore(before, one.call)) continue;
        const { jti } = one.event;
        yield { subject: jti, text: `${jti} was settled and returned`, calls: [before, one.call] };
      }
    },
  },
];
