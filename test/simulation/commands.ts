import fc from "fast-check";
import {
  type Asked,
  attempt,
  decide,
  exchangeAgain,
  lodge,
  nextOrder,
  type Outcome,
  outcomes,
  poll,
  readAccounts,
  readConsent,
  readOrder,
  refresh,
  revoke,
  send,
} from "./calls.ts";
import { consentKinds, type Known, type KnownConsent, type SentOrder } from "./known.ts";
import { type CoreTrouble, coreTroubles } from "./simulated-core.ts";
import { type DatabaseTrouble, databaseTroubles } from "./simulated-server.ts";
import { type NetworkTrouble, networkTroubles } from "./simulated-tpp.ts";
import type { Simulation } from "./simulation.ts";

// The commands of a simulation. fast-check draws them, and finds a shorter list that fails too.

type SimulatedCommand = fc.AsyncCommand<Known, Simulation>;

/** What a command needs, and does. Arguments choose among what there is at that time. */
type Row<Given> = {
  /** How often it is drawn, compared with the others. */
  weight: number;
  given: fc.Arbitrary<Given>;
  /** Whether there is something to do; whenever a process lives, if it is left out. */
  can?(known: Known): boolean;
  run(simulation: Simulation, known: Known, given: Given): Promise<unknown>;
};

/** Counts what commands have done, by their names. */
export type Tally = Map<string, number>;

// Chooses from the end: mostly what is new, and sometimes what is old.
const which = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 99 }));
const trouble = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom<NetworkTrouble[]>(...networkTroubles) },
);
const pence = fc.integer({ min: 100, max: 600 });
const rarely = fc.constantFrom(false, false, false, true);
const at = { at: which, trouble };

const mostKeyHours = 23;

const asked = fc.record<Asked>({
  kind: fc.constantFrom(...consentKinds),
  outcome: fc.oneof(fc.constant<Outcome>("paid"), fc.constantFrom<Outcome[]>(...outcomes)),
  pence,
  days: fc.integer({ min: 1, max: 9 }),
});

const chosen = <T>(all: readonly T[], index: number): T => all.at(-1 - (index % all.length)) as T;

const undecided = ({ consents }: Known) => consents.filter(({ isDecided }) => !isDecided);
const usable = ({ consents }: Known) => consents.filter(({ token }) => token !== null);
const exchangeable = ({ consents }: Known) =>
  consents.filter(({ redirectUrl }) => redirectUrl !== null);
const payable = (known: Known) => usable(known).filter(({ kind }) => kind !== "access");
const readable = (known: Known) => usable(known).filter(({ kind }) => kind === "access");
const sent = ({ consents }: Known) =>
  consents.flatMap((consent) => consent.orders.map((order) => ({ consent, order })));
const answered = (known: Known) => sent(known).filter(({ order }) => order.orderId !== null);

/** Sends to a living process through the network. */
async function through(
  simulation: Simulation,
  given: { at: number; trouble: NetworkTrouble | null },
  work: () => Promise<unknown>,
): Promise<void> {
  simulation.choose(given.at);
  simulation.tpp.trouble = given.trouble;
  await attempt(work);
  simulation.tpp.trouble = null;
}

const row = <Given>(one: Row<Given>): Row<Given> => one;

const rows = {
  lodge: row({
    weight: 2,
    given: fc.record({ ...at, asked }),
    run: (simulation, known, given) =>
      through(simulation, given, () => lodge(simulation, known, given.asked)),
  }),
  "lodge and approve": row({
    weight: 12,
    given: fc.record({ at: which, asked }),
    run: (simulation, known, given) =>
      through(simulation, { ...given, trouble: null }, async () => {
        const consent = await lodge(simulation, known, given.asked);
        if (consent) await decide(simulation, consent, true);
      }),
  }),
  decide: row({
    weight: 4,
    given: fc.record({ ...at, which, approves: fc.integer({ max: 9, min: 0 }) }),
    can: (known) => undecided(known).length > 0,
    run: (simulation, known, given) => {
      const consent = chosen(undecided(known), given.which);
      return through(simulation, given, () => decide(simulation, consent, given.approves > 0));
    },
  }),
  "decide again": row({
    weight: 1,
    given: fc.record({ ...at, which, approves: fc.boolean() }),
    can: ({ consents }) => consents.length > 0,
    run: (simulation, { consents }, given) => {
      const consent = chosen(consents, given.which);
      return through(simulation, given, () => decide(simulation, consent, given.approves));
    },
  }),
  order: row({
    weight: 14,
    given: fc.record({ ...at, which, pence, isStale: rarely }),
    can: (known) => payable(known).length > 0,
    run: (simulation, known, given) => {
      const consent = chosen(payable(known), given.which);
      return through(simulation, given, async () => {
        if (!given.isStale) await refresh(simulation, consent).catch(() => undefined);
        await send(simulation, consent, nextOrder(simulation, known, consent, given.pence));
      });
    },
  }),
  "order again": row({
    weight: 6,
    given: fc.record({ ...at, which }),
    can: (known) => sent(known).length > 0,
    run: async (simulation, known, given) => {
      const { consent, order } = chosen(sent(known), given.which);
      // a key that is as old as this may stand for another order
      if (simulation.now.since(order.at).total("hours") > mostKeyHours) return;
      return through(simulation, given, async () => {
        await refresh(simulation, consent).catch(() => undefined);
        await send(simulation, consent, order);
      });
    },
  }),
  "orders at once": row({
    weight: 5,
    given: fc.record({ which, pence, count: fc.integer({ min: 2, max: 4 }), isSame: fc.boolean() }),
    can: (known) => payable(known).length > 0,
    async run(simulation, known, { which: index, pence: amount, count, isSame }) {
      const consent = chosen(payable(known), index);
      simulation.choose(index);
      await attempt(() => refresh(simulation, consent));
      const first = nextOrder(simulation, known, consent, amount);
      const orders: SentOrder[] = Array.from({ length: count }, (_, number) =>
        isSame || number === 0 ? first : nextOrder(simulation, known, consent, amount),
      );
      await Promise.all(
        orders.map((order, number) => {
          const { door } = chosen(simulation.alive, number);
          return attempt(() => send(simulation, consent, order, door.publicUrl));
        }),
      );
    },
  }),
  "read accounts": row({
    weight: 4,
    given: fc.record({ ...at, which, isStale: rarely }),
    can: (known) => readable(known).length > 0,
    run: (simulation, known, given) => {
      const consent = chosen(readable(known), given.which);
      return through(simulation, given, async () => {
        if (!given.isStale) await refresh(simulation, consent).catch(() => undefined);
        await readAccounts(simulation, consent);
      });
    },
  }),
  "read a consent": row({
    weight: 3,
    given: fc.record({ ...at, which }),
    can: ({ consents }) => consents.length > 0,
    run: (simulation, known, given) =>
      through(simulation, given, () =>
        readConsent(simulation, known, chosen(known.consents, given.which)),
      ),
  }),
  "read an order": row({
    weight: 5,
    given: fc.record({ ...at, which }),
    can: (known) => answered(known).length > 0,
    run: (simulation, known, given) => {
      const { consent, order } = chosen(answered(known), given.which);
      return through(simulation, given, () => readOrder(simulation, known, consent, order));
    },
  }),
  revoke: row({
    weight: 2,
    given: fc.record({ ...at, which, byCustomer: fc.boolean(), triesAt: fc.option(which) }),
    can: (known) => revocable(known).length > 0,
    async run(simulation, known, given) {
      const consent = chosen(revocable(known), given.which);
      await through(simulation, given, () => revoke(simulation, known, consent, given.byCustomer));
      const { triesAt } = given;
      if (triesAt === null || consent.token === null) return;
      // one who does not know about it
      await through(simulation, { at: triesAt, trouble: null }, () =>
        consent.kind === "access"
          ? readAccounts(simulation, consent)
          : send(simulation, consent, nextOrder(simulation, known, consent, 100)),
      );
    },
  }),
  "exchange again": row({
    weight: 1,
    given: fc.record({ ...at, which }),
    can: (known) => exchangeable(known).length > 0,
    run: (simulation, known, given) =>
      through(simulation, given, () =>
        exchangeAgain(simulation, chosen(exchangeable(known), given.which)),
      ),
  }),
  "poll for events": row({
    weight: 5,
    given: fc.record({ ...at, acknowledged: fc.integer({ min: 0, max: 3 }) }),
    run: (simulation, known, given) =>
      through(simulation, given, () => poll(simulation, known, given.acknowledged)),
  }),
  "pass seconds": row({
    weight: 5,
    given: fc.record({ seconds: fc.integer({ min: 1, max: 90 }) }),
    run: (simulation, _, { seconds }) => simulation.pass(seconds),
  }),
  "pass hours": row({
    weight: 2,
    given: fc.record({ hours: fc.integer({ min: 1, max: 40 }) }),
    run: (simulation, _, { hours }) => simulation.pass(hours * 3600),
  }),
  // the regular work has not noticed yet
  "jump hours": row({
    weight: 2,
    given: fc.record({ hours: fc.integer({ min: 1, max: 200 }) }),
    run: (simulation, _, { hours }) => simulation.jump(hours * 3600),
  }),
  "pass days": row({
    weight: 3,
    given: fc.record({ days: fc.integer({ min: 2, max: 40 }) }),
    run: (simulation, _, { days }) => simulation.pass(days * 86_400),
  }),
  "trouble in the database": row({
    weight: 4,
    given: fc.record({
      at: which,
      after: fc.nat({ max: 30 }),
      trouble: fc.constantFrom<DatabaseTrouble[]>(...databaseTroubles),
      // then it happens to the regular work
      passes: fc.boolean(),
    }),
    async run(simulation, _, { at, after, trouble, passes }) {
      simulation.choose(at).lines?.line.plan(after, trouble);
      if (passes) await simulation.pass(1);
    },
  }),
  "trouble in the core": row({
    weight: 3,
    given: fc.record({
      at: which,
      troubles: fc.array(fc.constantFrom<CoreTrouble[]>(...coreTroubles), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    async run(simulation, _, given) {
      simulation.choose(given.at).lines?.core.plan(given.troubles);
    },
  }),
  kill: row({
    weight: 1,
    given: fc.record({ at: which }),
    async run(simulation, _, given) {
      simulation.choose(given.at).kill();
    },
  }),
  restart: row({
    weight: 2,
    given: fc.record({}),
    run: (simulation) => simulation.restart(),
  }),
  "back up": row({
    weight: 1,
    given: fc.record({}),
    async run(simulation, known) {
      await simulation.backUp();
      known.hasBackup = true;
    },
  }),
  restore: row({
    weight: 2,
    given: fc.record({}),
    can: ({ hasBackup }) => hasBackup,
    async run(simulation, known) {
      known.hasBackup = false;
      known.own.clear(); // the bank may know these tokens no more
      await simulation.restore();
    },
  }),
};

/** Revoking a consent to one payment is not possible: its order uses it up. */
const revocable = (known: Known): KnownConsent[] =>
  known.consents.filter(({ kind, isRevoked, isDecided }) => {
    return kind !== "once" && isDecided && !isRevoked;
  });

function commandOf<Given>(
  name: string,
  { can = () => true, run }: Row<Given>,
  given: Given,
  tally: Tally,
): SimulatedCommand {
  return {
    check: (known) => can(known),
    async run(known, simulation) {
      tally.set(name, (tally.get(name) ?? 0) + 1);
      // a customer does not find a bank of which every process was killed
      if (simulation.alive.length === 0) await simulation.restart();
      await run(simulation, known, given);
      await simulation.quiet();
    },
    toString: () => `${name} ${JSON.stringify(given)}`,
  };
}

/** Lists of commands. `tally` counts those that are run. */
export function commandLists(
  maxCommands: number,
  tally: Tally,
  replayPath?: string,
): fc.Arbitrary<Iterable<SimulatedCommand>> {
  const each = Object.entries(rows).flatMap(([name, one]) => {
    const { weight, given } = one as Row<unknown>;
    const drawn = given.map((values) => commandOf(name, one as Row<unknown>, values, tally));
    // a command that is listed more often is drawn more often
    return Array.from({ length: weight }, () => drawn);
  });
  return fc.commands(each, {
    maxCommands,
    size: "max",
    ...(replayPath === undefined ? {} : { replayPath }),
  });
}
