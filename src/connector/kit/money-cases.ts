import type { PaymentInstruction } from "#src/bank/port.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { expectSame, expectThat, shown } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase, KitGroup } from "./kit-case.ts";
import {
  expectChange,
  kitCharge,
  moneyRules,
  parallelCalls,
  moneyCase as row,
} from "./money-case.ts";
import { reservationCases } from "./reservation-cases.ts";

const { reserves, executes, known, asks, releases, batch, lists } = moneyRules;
const largeBatch = 64;
const mixedBatch = 8;

const own = (kit: Kit): string => kit.idOf("own");
const idOf = ({ paymentId }: PaymentInstruction): string => paymentId;
const several = (kit: Kit, count: number): Promise<PaymentInstruction[]> =>
  Promise.all(Array.from({ length: count }, () => kit.payment()));

const executions: readonly KitCase[] = [
  row(
    "K4-12",
    "an executed payment is debited",
    ["reserve", "execute", "loadFunds"],
    executes,
    async (kit) => {
      const payment = await kit.payment();
      await expectChange(kit, { booked: -1n, available: -1n }, () => kit.pay(payment));
    },
  ),
  row(
    "K4-13",
    "a payment that is executed twice is debited once",
    ["reserve", "execute", "loadFunds"],
    known,
    async (kit) => {
      const payment = await kit.payment();
      await expectChange(kit, { booked: -1n, available: -1n }, async () => {
        await kit.pay(payment);
        await kit.one("execute", payment);
      });
    },
  ),
  row(
    "K4-14",
    `a payment that ${parallelCalls} calls execute at the same time is debited once`,
    ["reserve", "execute", "loadFunds"],
    known,
    async (kit) => {
      const payment = await kit.payment();
      await kit.reserve(payment);
      await expectChange(kit, { booked: -1n }, () =>
        Promise.all(Array.from({ length: parallelCalls }, () => kit.send("execute", [[payment]]))),
      );
    },
  ),
  row(
    "K4-15",
    "ask says of an executed payment what execute has said",
    ["reserve", "execute", "ask"],
    asks,
    async (kit) => {
      const payment = await kit.payment();
      const outcome = await kit.pay(payment);
      const asked = await kit.ask(payment.paymentId);
      const settled = outcome.state === "pending" ? ["pending", "settled"] : [outcome.state];
      expectThat(settled.includes(asked.state), `the state ${settled.join(" or ")}`, asked);
    },
  ),
  row(
    "K4-16",
    "reserving an executed payment changes nothing",
    ["reserve", "execute", "loadFunds"],
    known,
    async (kit) => {
      const payment = await kit.payment();
      await kit.pay(payment);
      await expectChange(kit, { booked: 0n, available: 0n }, async () => {
        const { state } = await kit.one("reserve", payment);
        const isKnown = state === "settled" || state === "pending";
        expectThat(isKnown, "the outcome of the executed payment", state);
      });
    },
  ),
  row(
    "K4-17",
    "releasing an executed payment changes nothing",
    ["reserve", "execute", "release", "loadFunds"],
    known,
    async (kit) => {
      const payment = await kit.payment();
      await kit.pay(payment);
      await expectChange(kit, { booked: 0n, available: 0n }, () =>
        kit.call("release", [payment.paymentId]),
      );
    },
  ),
  row(
    "K4-18",
    "a payment that was not reserved is not executed",
    ["execute", "loadFunds"],
    executes,
    async (kit) => {
      const payment = await kit.payment();
      await expectChange(kit, { booked: 0n, available: 0n }, async () => {
        const { state } = await kit.one("execute", payment);
        const isMade = state === "settled" || state === "pending";
        expectThat(!isMade, "the payment not to be made", state);
      });
    },
  ),
  row(
    "K4-19",
    "a released payment is not executed",
    ["reserve", "release", "execute", "loadFunds"],
    releases,
    async (kit) => {
      const payment = await kit.payment();
      await expectChange(kit, { booked: 0n, available: 0n }, async () => {
        await kit.reserve(payment);
        await kit.call("release", [payment.paymentId]);
        const { state } = await kit.one("execute", payment);
        const isMade = state === "settled" || state === "pending";
        expectThat(!isMade, "the payment not to be made", state);
      });
    },
  ),
  row(
    "K4-20",
    "a charge is debited together with the amount",
    ["reserve", "execute", "loadFunds"],
    executes,
    async (kit) => {
      const { currency } = await kit.account("own");
      const payment = await kit.payment({ charge: { amountMinor: kitCharge, currency } });
      await expectChange(kit, { booked: -1n - kitCharge, available: -1n - kitCharge }, () =>
        kit.pay(payment),
      );
    },
  ),
  row(
    "K4-21",
    "a settled payment within the bank reaches the payee",
    ["reserve", "execute", "loadFunds"],
    "settled: the debtor is debited and the creditor credited.",
    async (kit) => {
      const payment = await kit.payment();
      let isHere = false;
      const { booked } = await kit.change(kit.idOf("other"), async () => {
        const outcome = await kit.pay(payment);
        isHere = outcome.state === "settled" && kit.file.payee === undefined;
      });
      if (isHere) expectSame(booked, 1n, "the change of the payee's balance");
      else kit.notes.push("the payee is elsewhere, or the payment is pending");
    },
  ),
  row(
    "K4-22",
    "a pending payment says when to ask again",
    ["reserve", "execute"],
    "pending: ask again at askAt.",
    async (kit) => {
      const began = Temporal.Now.instant();
      const outcome = await kit.pay(await kit.payment());
      if (outcome.state !== "pending") return;
      const isLater = Temporal.Instant.compare(outcome.askAt, began) > 0;
      expectThat(isLater, "a time in the future", outcome);
    },
  ),
];

const batches: readonly KitCase[] = [
  row(
    "K4-23",
    `a batch of ${largeBatch} payments has ${largeBatch} outcomes`,
    ["reserve", "release", "loadFunds"],
    batch,
    async (kit) => {
      const payments = await several(kit, largeBatch);
      await expectChange(kit, { available: -BigInt(largeBatch) }, async () => {
        const states = (await kit.call("reserve", payments)).map(({ state }) => state);
        expectSame([...new Set(states)], ["reserved"], "the states");
      });
    },
  ),
  row(
    "K4-24",
    "each outcome of a batch is that of its payment",
    ["reserve", "ask"],
    batch,
    async (kit) => {
      const [good, other, third] = await several(kit, 3);
      if (!good || !other || !third) return;
      const { availableMinor, currency } = await kit.funds(own(kit));
      const amount = { amountMinor: availableMinor + 1_000n, currency };
      const found = await kit.call("reserve", [good, { ...other, amount }, third]);
      const states = found.map(({ state }) => state);
      expectSame(states, ["reserved", "refused", "reserved"], "the states by id");
      const asked = await kit.call("ask", [third, other, good].map(idOf));
      const again = asked.map(({ state }) => state);
      expectSame(again, ["reserved", "refused", "reserved"], "the states that ask gives by id");
    },
  ),
  row(
    "K4-25",
    "a payment with an unknown debtor does not stop its batch",
    ["reserve", "loadFunds"],
    batch,
    async (kit) => {
      const good = await several(kit, mixedBatch);
      const bad = await kit.payment({ debtorAccountId: "no-such-account" });
      await expectChange(kit, { available: -BigInt(mixedBatch) }, async () => {
        const found = await kit.call("reserve", [...good.slice(1), bad, ...good.slice(0, 1)]);
        const reserved = found.filter(({ state }) => state === "reserved").length;
        expectSame(reserved, mixedBatch, "the reserved payments");
      });
    },
  ),
  row(
    "K4-26",
    "two batches with the same payments at the same time debit each once",
    ["reserve", "execute", "loadFunds"],
    known,
    async (kit) => {
      const payments = await several(kit, mixedBatch);
      await kit.call("reserve", payments);
      await expectChange(kit, { booked: -BigInt(mixedBatch) }, () =>
        Promise.all([
          kit.send("execute", [payments]),
          kit.send("execute", [payments.toReversed()]),
        ]),
      );
    },
  ),
  row(
    "K4-27",
    "every payment of this run is listed once, page by page",
    ["reserve", "listPayments"],
    lists,
    async (kit) => {
      const payments = await several(kit, 3);
      await kit.call("reserve", payments);
      const found = await listed(kit);
      const missing = payments.map(idOf).filter((id) => !found.includes(id));
      expectSame(missing, [], "the payments that are missing");
    },
  ),
  row(
    "K4-28",
    "long references and names in other letters are taken",
    ["reserve"],
    "A reference has up to 35 characters.",
    async (kit) => {
      const payment = await kit.payment({ reference: "R".repeat(35), endToEndId: "E".repeat(35) });
      const creditor = { ...payment.creditor, name: "Zoë O'Neill & Sønner" };
      await kit.reserve({ ...payment, creditor });
    },
  ),
  row(
    "K4-29",
    "the balance has fallen by exactly the payments of this run",
    ["reserve", "execute", "ask", "loadFunds"],
    "Payments are made once.",
    async (kit) => {
      const { began, funds } = await startOfMoney(kit);
      const since = [...kit.executed.values()].filter(({ paymentId }) => !began.has(paymentId));
      let expected = funds;
      for (const { paymentId, amount, charge: more } of since) {
        const { state } = await kit.ask(paymentId);
        const isDebited = state === "settled" || state === "pending";
        if (isDebited) expected -= amount.amountMinor + (more?.amountMinor ?? 0n);
      }
      const { bookedMinor } = await kit.funds(own(kit));
      kit.notes.push(countOf(since.length, "payment", "payments"));
      expectSame(shown(bookedMinor), shown(expected), "the booked balance in minor units");
    },
  ),
  row(
    "K4-30",
    "of two payments that only one balance covers, one is reserved",
    ["reserve", "release", "loadFunds"],
    reserves,
    async (kit) => {
      const { availableMinor } = await kit.funds(own(kit));
      const pair = [
        await kit.payment({ minor: availableMinor }),
        await kit.payment({ minor: availableMinor }),
      ];
      const found = await Promise.all(pair.map((payment) => kit.one("reserve", payment)));
      await kit.call("release", pair.map(idOf));
      const states = found.map(({ state }) => state).sort();
      expectSame(states, ["refused", "reserved"], "the states");
    },
  ),
  row(
    "K4-31",
    "a refused payment is listed too",
    ["reserve", "loadFunds", "listPayments"],
    lists,
    async (kit) => {
      const { availableMinor } = await kit.funds(own(kit));
      const payment = await kit.payment({ minor: availableMinor + 1n });
      await kit.one("reserve", payment);
      const isListed = (await listed(kit)).includes(payment.paymentId);
      expectThat(isListed, "the refused payment in the list", "it is missing");
    },
  ),
];

/** The payments of the last minutes, page by page. */
async function listed(kit: Kit): Promise<string[]> {
  const since = Temporal.Now.instant().subtract({ minutes: 5 });
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: { paymentId: string }[] = await kit.call("listPayments", since, after);
    if (page.length === 0) return found;
    found.push(...page.map(({ paymentId }) => paymentId));
    expectSame(found.length, new Set(found).size, "no payment twice: the number of them");
    after = found.at(-1) ?? null;
  }
}

/** The balance before the first payment of this group, and the payments before it. */
const startOfMoney = (kit: Kit) =>
  kit.shared("start of money", async () => ({
    began: new Set(kit.executed.keys()),
    funds: (await kit.funds(own(kit))).bookedMinor,
  }));

/** K4: reserve, execute, ask, release. */
export const moneyCases: KitGroup = {
  id: "K4",
  name: "money",
  about: "Payments, each made once",
  cases: [...reservationCases, ...executions, ...batches].map((one) => ({
    ...one,
    async run(kit) {
      await startOfMoney(kit);
      await one.run(kit);
    },
  })),
};
