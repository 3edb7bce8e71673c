import fc from "fast-check";
import { type Asked, type Outcome, outcomes } from "./calls.ts";
import { type ConsentKind, isAccess, type Known, type KnownConsent } from "./known.ts";
import { type DatabaseTrouble, databaseTroubles, type Strike } from "./simulated-server.ts";
import { type NetworkTrouble, networkTroubles } from "./simulated-tpp.ts";

// What is drawn for a command, and how its numbers choose among what the TPP knows.

/** Chooses from the end: mostly what is new, and sometimes what is old. */
export const which = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 99 }));

export const pence = fc.integer({ min: 100, max: 600 });
export const rarely = fc.constantFrom(false, false, false, true);
export const seldom = fc.nat({ max: 7 }).map((number) => number === 0);

const trouble = fc.constantFrom<DatabaseTrouble[]>(...databaseTroubles);

/**
 * A trouble with one of the next statements of a process, so mostly of what it does next; or with
 * one kind of write, whenever it comes, because most of the regular work finds nothing to write.
 */
const after = fc.oneof(fc.nat({ max: 1 }), fc.nat({ max: 12 }));
export const strike: fc.Arbitrary<Strike> = fc.oneof(
  fc.record({ trouble, after, ofWrites: fc.boolean() }),
  fc.record({ trouble, kind: fc.nat({ max: 999 }) }),
);

/** The process that answers, and what happens in the network and in the database meanwhile. */
export const at = {
  at: which,
  trouble: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom<NetworkTrouble[]>(...networkTroubles) },
  ),
  strike: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: strike }),
};

/** Payments within limits have the most rules, so they are lodged more often. */
const kinds: ConsentKind[] = [
  ...(["once", "once", "limited", "limited"] as const),
  ...(["later", "access", "access for days"] as const),
];

export const asked = fc.record<Asked>({
  kind: fc.constantFrom(...kinds),
  outcome: fc.oneof(fc.constant<Outcome>("paid"), fc.constantFrom<Outcome[]>(...outcomes)),
  pence,
  days: fc.integer({ min: 1, max: 9 }),
});

export const chosen = <T>(all: readonly T[], index: number): T =>
  all.at(-1 - (index % all.length)) as T;

export const undecided = ({ consents }: Known) => consents.filter(({ isDecided }) => !isDecided);
const isOver = ({ kind, isRevoked, isDeclined, orders }: KnownConsent): boolean =>
  isRevoked || isDeclined || (kind === "once" && orders.some(({ orderId }) => orderId !== null));

/** Consents with a token; first, so that they are chosen less often, those that are over. */
function usable({ consents }: Known): KnownConsent[] {
  const open = consents.filter(({ token }) => token !== null);
  return [...open.filter(isOver), ...open.filter((one) => !isOver(one))];
}

/** All consents; last, so that they are chosen more often, those that are over. */
export const decidable = ({ consents }: Known): KnownConsent[] => [
  ...consents.filter((one) => !isOver(one)),
  ...consents.filter(isOver),
];
export const exchangeable = ({ consents }: Known) =>
  consents.filter(({ redirectUrl }) => redirectUrl !== null);
export const payable = (known: Known) => usable(known).filter(({ kind }) => !isAccess(kind));
export const readable = (known: Known) => usable(known).filter(({ kind }) => isAccess(kind));
export const sent = ({ consents }: Known) =>
  consents.flatMap((consent) => consent.orders.map((order) => ({ consent, order })));
export const answered = (known: Known) => sent(known).filter(({ order }) => order.orderId !== null);

/**
 * Consents with a token that can be revoked: what has no token opens nothing anyway. A consent to
 * one payment is not among them, because its order uses it up.
 */
export const revocable = (known: Known): KnownConsent[] =>
  usable(known).filter(({ kind, isRevoked }) => kind !== "once" && !isRevoked);

/** How long an order is sent again with its key: a key that is older may stand for another. */
const mostKeyHours = 23;

/** Orders that may be sent again at this time, the latest first. */
export const repeatable = (known: Known, now: Temporal.Instant) =>
  sent(known)
    .filter(({ order }) => now.since(order.at).total("hours") <= mostKeyHours)
    .sort((a, b) => Temporal.Instant.compare(b.order.at, a.order.at));

/** What begins or ends at an edge. */
export const edgeKinds = ["token", "consent", "calendar"] as const;
type EdgeKind = (typeof edgeKinds)[number];

/** A time at which something begins or ends, and the consent that it is about. */
export type Edge = { time: Temporal.Instant; of: EdgeKind; consent: KnownConsent | null };

const midnightAfter = (time: Temporal.Instant): Temporal.ZonedDateTime =>
  time.toZonedDateTimeISO("Europe/London").startOfDay().add({ days: 1 });

/** The times at which something that the TPP knows begins or ends, the next one first. */
export function edges({ consents }: Known, now: Temporal.Instant): Edge[] {
  const midnight = midnightAfter(now);
  const monday = midnight.add({ days: (8 - midnight.dayOfWeek) % 7 });
  const month = midnight.with({ day: 1 }).add({ months: 1 });
  const ofConsents = consents.flatMap((consent) => {
    const { ValidFromDateTime: from, ValidToDateTime: to } =
      consent.body.Data.ControlParameters ?? {};
    const texts: string[] = [from, to, consent.body.Data.ExpirationDateTime].filter(Boolean);
    const instants = texts.map((text) => Temporal.Instant.from(text));
    // payments may be made until the end of the last day
    const lastDay = to ? [midnightAfter(Temporal.Instant.from(to)).toInstant()] : [];
    const tokenEnd = Temporal.Instant.fromEpochMilliseconds(consent.tokenEnds);
    const own = [...instants, ...lastDay].map((time) => ({
      time,
      of: "consent" as const,
      consent,
    }));
    return [{ time: tokenEnd, of: "token" as const, consent }, ...own];
  });
  const ofCalendar = [midnight, monday, month].map((time) => ({
    time: time.toInstant(),
    of: "calendar" as const,
    consent: null,
  }));
  return [...ofConsents, ...ofCalendar]
    .filter(({ time }) => Temporal.Instant.compare(time, now) > 0)
    .sort((one, other) => Temporal.Instant.compare(one.time, other.time));
}
