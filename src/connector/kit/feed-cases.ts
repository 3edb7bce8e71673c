// K7, continued: what only several changes show. A run makes some payments for these cases, more
// than fit on a small page.
import { textOf } from "#src/lib/plain-text.ts";
import { expectSame, expectThat } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase } from "./kit-case.ts";
import {
  type FactPage,
  type FactWalk,
  readOn,
  type SentFact,
  sharedWalk,
  untilSo,
  walkFrom,
} from "./read-facts.ts";

const pays = {
  calls: ["readChanges", "reserve", "execute", "loadFunds"],
  asks: ["mayBeSpent"],
} as const;

// no other case pays these amounts
const amounts = [2n, 3n, 4n];
const paymentCount = 24;
const smallPage = 5;

// how far the clocks of the core and of the kit may be apart
const skewSeconds = 60;
// a core may write the times of bookings without fractions of a second
const fractionMs = 1_000;

/** The payments that these cases are about. */
type PaidWalk = {
  /** A walk that ends before them. */
  before: FactWalk;
  /** How often each debit and credit of them is expected. */
  expected: Map<string, number>;
  /** The transactions for them that have come. */
  came: Map<string, number>;
  began: Temporal.Instant;
  /** When the last was made, by `performance.now()`. */
  endedMs: number;
};

/** The account, the direction and the amount of a transaction. */
function lineOf({ fact }: SentFact): string {
  const { amountMinor } = (fact.amount ?? {}) as { amountMinor?: unknown };
  return `${textOf(fact.accountId)} ${textOf(fact.indicator)} ${textOf(amountMinor)}`;
}

const countsOf = (lines: readonly string[]): Map<string, number> =>
  new Map(
    Object.entries(Object.groupBy(lines, (line) => line)).map(([line, all]) => [
      line,
      all?.length ?? 0,
    ]),
  );

/** Makes the payments, once, and waits until the facts have them. */
const paidWalk = (kit: Kit): Promise<PaidWalk> =>
  kit.shared("payments among the facts", async () => {
    const walk = await sharedWalk(kit);
    await readOn(kit, walk);
    const before = walkFrom(walk);
    const minors = Array.from(
      { length: paymentCount },
      (_, index) => amounts[index % amounts.length] ?? 0n,
    );
    const payments = await Promise.all(minors.map((minor) => kit.payment({ minor })));
    const began = Temporal.Now.instant();
    const [own, other] = [kit.idOf("own"), kit.idOf("other")];
    const change = await kit.change(other, () => kit.payAll(payments));
    const endedMs = performance.now();
    // with another payee, or in a scheme that takes longer, the credit is somewhere else
    const isCredited = change.booked === minors.reduce((sum, minor) => sum + minor, 0n);
    const expected = countsOf(
      minors.flatMap((minor) => [
        `${own} Debit ${minor}`,
        ...(isCredited ? [`${other} Credit ${minor}`] : []),
      ]),
    );
    const seen = new Map<string, string>();
    const after = walkFrom(before);
    const count = (): Map<string, number> => {
      const kept = [...seen].filter(([name]) => after.model.has(name)).map(([, line]) => line);
      return countsOf(kept.filter((line) => expected.has(line)));
    };
    await untilSo(kit, after, (sent) => {
      for (const one of sent) {
        if (one.kind === "transactions") seen.set(`${one.kind} ${one.key}`, lineOf(one));
      }
      const came = count();
      return [...expected].every(([line, wanted]) => (came.get(line) ?? 0) >= wanted) || undefined;
    });
    return { before, expected, came: count(), began, endedMs };
  });

type Newest = Map<string, { version: bigint; content: string }>;

/** The newest versions of the facts of the accounts of bank.json that are not removed, by name. */
function newestOf(kit: Kit, { model }: FactWalk, sent: readonly SentFact[]): Newest {
  const ids: unknown[] = Object.values(kit.file.accounts);
  const newest: Newest = new Map();
  for (const { kind, key, version, fact } of sent) {
    const name = `${kind} ${key}`;
    if (!ids.includes(fact.accountId) || !model.has(name)) continue;
    const known = newest.get(name)?.version ?? -1n;
    const content = JSON.stringify({ ...fact, version: null });
    if (known < version) newest.set(name, { version, content });
  }
  return newest;
}

/** The facts that are missing or older. A core may give a version to the page, not to the fact. */
const missingIn = (found: Newest, wanted: Newest): string[] =>
  [...wanted].flatMap(([name, { version, content }]) => {
    const one = found.get(name);
    return one && (one.version >= version || one.content === content) ? [] : [name];
  });

/** The transactions of the payments that come after a mark which is later than their time. */
function lateAfterMarks({ began, expected }: PaidWalk) {
  const known = new Set<string>();
  const late: string[] = [];
  let mark = Temporal.Instant.fromEpochMilliseconds(0);
  const earliest = began.subtract({ seconds: skewSeconds });
  return {
    late,
    add({ facts, marks }: FactPage): void {
      for (const sent of facts) {
        if (sent.kind !== "transactions" || known.has(sent.key)) continue;
        known.add(sent.key);
        const at = Temporal.Instant.from(textOf(sent.fact.bookedAt));
        // a day of booking alone says nothing about the time at which the core has known of it
        const isTimed = Temporal.Instant.compare(at, earliest) >= 0;
        const whole = at.add({ milliseconds: fractionMs });
        const isLate = isTimed && Temporal.Instant.compare(whole, mark) < 0;
        if (isLate && expected.has(lineOf(sent))) late.push(`${sent.key}: ${at}, after ${mark}`);
      }
      for (const one of marks) if (Temporal.Instant.compare(one, mark) > 0) mark = one;
    },
  };
}

/** The part of K7 about pages, and about how far the core has got. */
export const feedCases: readonly KitCase[] = [
  {
    id: "K7-15",
    title: `each of ${paymentCount} payments is among the facts once`,
    ...pays,
    rule: "readChanges returns every change after a cursor.",
    async run(kit) {
      const { expected, came } = await paidWalk(kit);
      const wrong = [...expected].flatMap(([line, wanted]) => {
        const count = came.get(line) ?? 0;
        return count === wanted ? [] : [`${line}: ${count} instead of ${wanted}`];
      });
      expectSame(wrong, [], "the transactions that are missing, or there too often");
    },
  },
  {
    id: "K7-16",
    title: "small pages have the same facts as large ones",
    ...pays,
    rule: "The limit says how many facts Aldgate would like at most, and changes nothing else.",
    async run(kit) {
      const { before } = await paidWalk(kit);
      const [large, small] = [walkFrom(before), walkFrom(before)];
      const inLarge = await readOn(kit, large);
      const inSmall = await readOn(kit, small, { limit: smallPage });
      const wanted = newestOf(kit, large, inLarge);
      const found = newestOf(kit, small, inSmall);
      // what has changed since then is in large pages too
      inLarge.push(...(await readOn(kit, large)));
      const all = newestOf(kit, large, inLarge);
      expectSame(missingIn(found, wanted).slice(0, 3), [], "the facts that small pages lack");
      expectSame(missingIn(all, found).slice(0, 3), [], "the facts that large pages lack");
    },
  },
  {
    id: "K7-17",
    title: "what the core calls delivered is over, and has been delivered",
    ...pays,
    rule:
      "deliveredUpTo, and asOf in delivered, give the time up to which every change is in this " +
      "answer or in an earlier one.",
    async run(kit) {
      const paid = await paidWalk(kit);
      const waitMs = paid.endedMs + 1.5 * fractionMs - performance.now();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
      const { late, add } = lateAfterMarks(paid);
      const marks = [...(await sharedWalk(kit)).marks];
      await readOn(kit, walkFrom(paid.before), {
        limit: smallPage,
        onPage(page) {
          add(page);
          marks.push(...page.marks);
        },
      });
      const latest = Temporal.Now.instant().add({ seconds: skewSeconds });
      const future = marks.find((mark) => Temporal.Instant.compare(mark, latest) > 0);
      expectThat(future === undefined, "times that are not in the future", `${future}`);
      expectSame(late.slice(0, 3), [], "the payments that came after a later deliveredUpTo");
    },
  },
];
