import fc from "fast-check";
import {
  type At,
  attempt,
  decide,
  exchangeAgain,
  isReady,
  lodge,
  nextOrder,
  poll,
  readAccounts,
  readConsent,
  readOrder,
  renew,
  revoke,
  send,
  sendOther,
  through,
  use,
  useEverywhere,
} from "./calls.ts";
import {
  answered,
  asked,
  at,
  chosen,
  decidable,
  type Edge,
  edgeKinds,
  edges,
  exchangeable,
  payable,
  pence,
  rarely,
  readable,
  repeatable,
  revocable,
  seldom,
  strike,
  undecided,
  which,
} from "./choices.ts";
import type { Known, SentOrder } from "./known.ts";
import { type CoreTrouble, coreTroubles } from "./simulated-core.ts";
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

/** How often each command was done. */
export type Tally = Map<string, number>;

/** Sends an order again, if its key still stands for it. */
async function sendAgain(
  simulation: Simulation,
  known: Known,
  given: Pick<At, "at"> & Partial<At> & { which: number },
): Promise<void> {
  const found = repeatable(known, simulation.now);
  if (found.length === 0) return;
  const { consent, order } = found[given.which % found.length] as (typeof found)[number];
  await through(simulation, given, async () => {
    if (await isReady(simulation, consent)) await send(simulation, consent, order);
  });
}

const row = <Given>(one: Row<Given>): Row<Given> => one;
const rows = {
  lodge: row({
    weight: 5,
    given: fc.record({ ...at, asked }),
    run: (simulation, known, given) =>
      through(simulation, given, () => lodge(simulation, known, given.asked)),
  }),
  "lodge and approve": row({
    weight: 12,
    given: fc.record({
      ...at,
      asked,
      // the page to which the customer was sent back is loaded again, with its code
      reloads: seldom,
      isOther: rarely,
      uses: fc.nat({ max: 2 }),
    }),
    async run(simulation, known, { at, asked, reloads, isOther, uses, ...troubles }) {
      await through(simulation, { at }, async () => {
        const consent = await lodge(simulation, known, asked);
        if (!consent) return;
        await decide(simulation, consent, true);
        if (reloads) await attempt(() => exchangeAgain(simulation, consent));
        if (isOther) await sendOther(simulation, known, consent, asked.pence + 1);
        for (let used = 0; used < uses; used += 1) {
          await through(simulation, { at, ...(used === 0 ? troubles : {}) }, () =>
            use(simulation, known, consent),
          );
        }
      });
    },
  }),
  decide: row({
    weight: 8,
    given: fc.record({
      ...at,
      which,
      approves: fc.boolean(),
      looks: fc.boolean(),
      changesMind: fc.boolean(),
    }),
    can: (known) => undecided(known).length > 0,
    async run(simulation, known, { approves, looks, changesMind, ...given }) {
      const consent = chosen(undecided(known), given.which);
      const { at } = given;
      await through(simulation, given, () => decide(simulation, consent, approves));
      if (looks) await through(simulation, { at }, () => readConsent(simulation, known, consent));
      if (changesMind)
        await through(simulation, { at }, () => decide(simulation, consent, !approves));
    },
  }),
  "decide again": row({
    weight: 3,
    given: fc.record({ ...at, which, approves: fc.boolean() }),
    can: ({ consents }) => consents.length > 0,
    run: (simulation, known, given) => {
      const consent = chosen(decidable(known), given.which);
      return through(simulation, given, () => decide(simulation, consent, given.approves));
    },
  }),
  order: row({
    weight: 14,
    given: fc.record({ ...at, which, pence, isStale: rarely, isOther: fc.boolean() }),
    can: (known) => payable(known).length > 0,
    run: (simulation, known, given) => {
      const consent = chosen(payable(known), given.which);
      return through(simulation, given, async () => {
        if (!(given.isStale || (await isReady(simulation, consent)))) return;
        if (given.isOther) await sendOther(simulation, known, consent, given.pence);
        await send(simulation, consent, nextOrder(simulation, known, consent, given.pence));
      });
    },
  }),
  "order again": row({
    weight: 6,
    given: fc.record({ ...at, which, hours: fc.oneof(fc.constant(0), fc.nat({ max: 22 })) }),
    can: (known) => known.consents.some(({ orders }) => orders.length > 0),
    async run(simulation, known, given) {
      // somebody who has got no answer may wait first
      await simulation.pass(given.hours * 3600);
      await sendAgain(simulation, known, given);
    },
  }),
  "orders at once": row({
    weight: 7,
    given: fc.record({
      which,
      pence,
      count: fc.integer({ min: 2, max: 12 }),
      isSame: rarely,
      toOne: fc.boolean(), // or to all of them
    }),
    can: (known) => payable(known).length > 0,
    async run(simulation, known, { which: index, pence: amount, count, isSame, toOne }) {
      const consent = chosen(payable(known), index);
      simulation.choose(index);
      if (!(await isReady(simulation, consent))) return;
      await simulation.ensureAlive();
      const first = nextOrder(simulation, known, consent, amount);
      // for a consent to one payment, all but one are refused
      const length = consent.kind === "once" ? Math.min(count, 3) : count;
      const orders: SentOrder[] = Array.from({ length }, (_, number) =>
        isSame || number === 0 ? first : nextOrder(simulation, known, consent, amount),
      );
      await Promise.all(
        orders.map((order, number) => {
          const { door } = chosen(simulation.alive, toOne ? index : number);
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
        if (!(given.isStale || (await isReady(simulation, consent)))) return;
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
    weight: 4,
    given: fc.record({ ...at, which, byCustomer: fc.boolean() }),
    can: (known) => revocable(known).length > 0,
    async run(simulation, known, given) {
      const consent = chosen(revocable(known), given.which);
      simulation.choose(given.at);
      if (!(await isReady(simulation, consent))) return;
      await through(simulation, given, () => use(simulation, known, consent));
      await through(simulation, given, () => revoke(simulation, known, consent, given.byCustomer));
      await useEverywhere(simulation, known, consent);
      await through(simulation, { at: given.at }, () => renew(simulation, consent));
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
    weight: 8,
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
    weight: 3,
    given: fc.record({ hours: fc.integer({ min: 1, max: 40 }) }),
    run: (simulation, _, { hours }) => simulation.pass(hours * 3600),
  }),
  // the regular work has not noticed yet
  "jump hours": row({
    weight: 2,
    given: fc.record({ hours: fc.integer({ min: 1, max: 200 }) }),
    run: (simulation, _, { hours }) => simulation.jump(hours * 3600),
  }),
  "jump to an edge": row({
    weight: 7,
    given: fc.record({
      of: fc.constantFrom(...edgeKinds),
      next: fc.oneof(fc.constant(0), fc.nat({ max: 6 })),
      later: fc.integer({ min: -1, max: 1 }),
      // a second before the edge, then, and a second after it
      isUsed: fc.boolean(),
    }),
    async run(simulation, known, { of, next, later, isUsed }) {
      const all = edges(known, simulation.now);
      const ofKind = all.filter((edge) => edge.of === of);
      const found = ofKind.length > 0 ? ofKind : all;
      const { time, consent } = found[next % found.length] as Edge;
      for (const seconds of isUsed && consent?.token ? [-1, later, 1] : [later]) {
        const until = Math.ceil(simulation.now.until(time).total("seconds"));
        await simulation.jump(until + seconds);
        if (!isUsed || !consent?.token) continue;
        if (seconds === -1) await isReady(simulation, consent);
        await useEverywhere(simulation, known, consent);
      }
    },
  }),
  "pass days": row({
    weight: 3,
    given: fc.record({ days: fc.integer({ min: 2, max: 40 }) }),
    run: (simulation, _, { days }) => simulation.pass(days * 86_400),
  }),
  "trouble in the database": row({
    weight: 8,
    given: fc.record({
      at: which,
      strikes: fc.array(strike, { minLength: 1, maxLength: 3 }),
      // then it happens to the regular work
      passes: fc.boolean(),
    }),
    async run(simulation, _, { at, strikes, passes }) {
      for (const one of strikes) simulation.choose(at).lines?.line.plan(one);
      if (passes) await simulation.pass(1);
    },
  }),
  "trouble in the core": row({
    weight: 6,
    given: fc.record({
      at: which,
      troubles: fc.array(fc.option(fc.constantFrom<CoreTrouble[]>(...coreTroubles), { freq: 2 }), {
        minLength: 1,
        maxLength: 6,
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
    weight: 2,
    given: fc.record({ at: which, orders: fc.nat({ max: 3 }) }),
    async run(simulation, known, { at, orders }) {
      await simulation.backUp();
      known.hasBackup = true;
      for (const consent of payable(known).toReversed().slice(0, orders)) {
        await through(simulation, { at }, async () => {
          if (await isReady(simulation, consent)) await use(simulation, known, consent);
        });
      }
      if (orders > 0) await simulation.pass(1);
    },
  }),
  // soon after its backup, so that what was ordered between them can be sent again
  restore: row({
    weight: 10,
    given: fc.record({ at: which, again: fc.nat({ max: 6 }) }),
    can: ({ hasBackup }) => hasBackup,
    async run(simulation, known, { at, again }) {
      known.hasBackup = false;
      known.own.clear(); // the bank may know these tokens no more
      await simulation.restore();
      for (let which = 0; which < again; which += 1) {
        await sendAgain(simulation, known, { at, which });
      }
    },
  }),
};

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
      await simulation.ensureAlive();
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
