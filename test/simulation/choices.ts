import fc from "fast-check";
import { type Asked, type Outcome, outcomes } from "./calls.ts";
import type { ConsentKind, Known, KnownConsent } from "./known.ts";
import { type DatabaseTrouble, databaseTroubles } from "./simulated-server.ts";
import { type NetworkTrouble, networkTroubles } from "./simulated-tpp.ts";

// What is drawn for a command, and how its numbers choose among what the TPP knows.

/** Chooses from the end: mostly what is new, and sometimes what is old. */
export const which = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 99 }));

export const pence = fc.integer({ min: 100, max: 600 });
export const rarely = fc.constantFrom(false, false, false, true);

/** A trouble with one of the next statements of a process, so mostly of what it does next. */
export const strike = fc.record({
  trouble: fc.constantFrom<DatabaseTrouble[]>(...databaseTroubles),
  after: fc.nat({ max: 12 }),
  ofWrites: fc.boolean(),
});
export type Strike = { trouble: DatabaseTrouble; after: number; ofWrites: boolean };

/** The process that answers, and what happens in the network and in the database meanwhile. */
export const at = {
  at: which,
  trouble: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom<NetworkTrouble[]>(...networkTroubles) },
  ),
  strike: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: strike }),
};
export type At = { at: number; trouble: NetworkTrouble | null; strike: Strike | null };

/** Payments within limits have the most rules, so they are lodged more often. */
const kinds: ConsentKind[] = ["once", "limited", "limited", "later", "access"];

export const asked = fc.record<Asked>({
  kind: fc.constantFrom(...kinds),
  outcome: fc.oneof(fc.constant<Outcome>("paid"), fc.constantFrom<Outcome[]>(...outcomes)),
  pence,
  days: fc.integer({ min: 1, max: 9 }),
});

export const chosen = <T>(all: readonly T[], index: number): T =>
  all.at(-1 - (index % all.length)) as T;

export const undecided = ({ consents }: Known) => consents.filter(({ isDecided }) => !isDecided);
/** Consents with a token; first, so that they are chosen less often, those that are used up. */
function usable({ consents }: Known): KnownConsent[] {
  const isSpent = ({ kind, isRevoked, orders }: KnownConsent): boolean =>
    isRevoked || (kind === "once" && orders.some(({ orderId }) => orderId !== null));
  const open = consents.filter(({ token }) => token !== null);
  return [...open.filter(isSpent), ...open.filter((one) => !isSpent(one))];
}
export const exchangeable = ({ consents }: Known) =>
  consents.filter(({ redirectUrl }) => redirectUrl !== null);
export const payable = (known: Known) => usable(known).filter(({ kind }) => kind !== "access");
export const readable = (known: Known) => usable(known).filter(({ kind }) => kind === "access");
export const sent = ({ consents }: Known) =>
  consents.flatMap((consent) => consent.orders.map((order) => ({ consent, order })));
export const answered = (known: Known) => sent(known).filter(({ order }) => order.orderId !== null);

/** Revoking a consent to one payment is not possible: its order uses it up. */
export const revocable = (known: Known): KnownConsent[] =>
  known.consents.filter(({ kind, isRevoked, isDecided }) => {
    return kind !== "once" && isDecided && !isRevoked;
  });

/** How long an order is sent again with its key: a key that is older may stand for another. */
const mostKeyHours = 23;

/** Orders that may be sent again at this time, the latest first. */
export const repeatable = (known: Known, now: Temporal.Instant) =>
  sent(known)
    .filter(({ order }) => now.since(order.at).total("hours") <= mostKeyHours)
    .sort((a, b) => Temporal.Instant.compare(b.order.at, a.order.at));

/** The times at which something that the TPP knows begins or ends, the next one first. */
export function edges({ consents }: Known, now: Temporal.Instant): Temporal.Instant[] {
  const midnight = now.toZonedDateTimeISO("Europe/London").startOfDay().add({ days: 1 });
  const monday = midnight.add({ days: (8 - midnight.dayOfWeek) % 7 });
  const month = midnight.with({ day: 1 }).add({ months: 1 });
  const ofConsents = consents.flatMap(({ tokenEnds, body }) => {
    const { ValidFromDateTime: from, ValidToDateTime: to } = body.Data.ControlParameters ?? {};
    const texts: string[] = [from, to].filter((text) => text !== undefined);
    const instants = texts.map((text) => Temporal.Instant.from(text));
    return [Temporal.Instant.fromEpochMilliseconds(tokenEnds), ...instants];
  });
  return [...ofConsents, ...[midnight, monday, month].map((time) => time.toInstant())]
    .filter((time) => Temporal.Instant.compare(time, now) > 0)
    .sort(Temporal.Instant.compare);
}
