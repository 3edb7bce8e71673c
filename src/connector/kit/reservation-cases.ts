import { expectSame, expectThat } from "./expect.ts";
import type { KitCase } from "./kit-case.ts";
import {
  expectChange,
  kitCharge,
  moneyRules,
  parallelCalls,
  moneyCase as row,
} from "./money-case.ts";

const { reserves, known, asks, releases } = moneyRules;

/** The first part of K4: before a payment is executed. */
export const reservationCases: readonly KitCase[] = [
  row(
    "K4-01",
    "a reserved payment is no longer available, and still booked",
    ["reserve", "loadFunds"],
    reserves,
    async (kit) => {
      const payment = await kit.payment();
      await expectChange(kit, { booked: 0n, available: -1n }, () => kit.reserve(payment));
    },
  ),
  row("K4-02", "ask knows a reserved payment", ["reserve", "ask"], asks, async (kit) => {
    const payment = await kit.payment();
    await kit.reserve(payment);
    expectSame((await kit.ask(payment.paymentId)).state, "reserved", "the state");
  }),
  row("K4-03", "ask says unknown of a payment that was never sent", ["ask"], asks, async (kit) => {
    const { paymentId } = await kit.payment();
    expectSame(await kit.ask(paymentId), { state: "unknown" }, "the outcome");
  }),
  row("K4-04", "ask alone makes no payment known", ["ask", "reserve"], asks, async (kit) => {
    const payment = await kit.payment();
    await kit.ask(payment.paymentId);
    await kit.reserve(payment);
  }),
  row(
    "K4-05",
    "a payment that is reserved twice is held once",
    ["reserve", "loadFunds"],
    known,
    async (kit) => {
      const payment = await kit.payment();
      await expectChange(kit, { available: -1n }, async () => {
        await kit.reserve(payment);
        await kit.reserve(payment);
      });
    },
  ),
  row(
    "K4-06",
    "a payment that is reserved at the same time by many calls is held once",
    ["reserve", "loadFunds"],
    known,
    async (kit) => {
      const payment = await kit.payment();
      await expectChange(kit, { available: -1n }, () =>
        Promise.all(Array.from({ length: parallelCalls }, () => kit.send("reserve", [[payment]]))),
      );
    },
  ),
  row(
    "K4-07",
    "a known payment keeps its amount when it comes again with another one",
    ["reserve", "loadFunds"],
    known,
    async (kit) => {
      const payment = await kit.payment();
      const more = { ...payment, amount: { ...payment.amount, amountMinor: 5n } };
      await expectChange(kit, { available: -1n }, async () => {
        await kit.reserve(payment);
        const outcome = await kit.one("reserve", more);
        expectSame(outcome.state, "reserved", "the outcome of the known payment");
      });
    },
  ),
  row(
    "K4-08",
    "a released payment is available again",
    ["reserve", "release", "loadFunds"],
    releases,
    async (kit) => {
      const payment = await kit.payment();
      await expectChange(kit, { booked: 0n, available: 0n }, async () => {
        await kit.reserve(payment);
        await kit.call("release", [payment.paymentId]);
      });
    },
  ),
  row(
    "K4-09",
    "releasing a payment twice, and one that is unknown, changes nothing",
    ["reserve", "release", "loadFunds"],
    releases,
    async (kit) => {
      const [payment, unknown] = [await kit.payment(), await kit.payment()];
      await expectChange(kit, { available: 0n }, async () => {
        await kit.reserve(payment);
        await kit.call("release", [payment.paymentId, unknown.paymentId]);
        await kit.call("release", [payment.paymentId]);
      });
    },
  ),
  row(
    "K4-10",
    "a released payment is not reserved again",
    ["reserve", "release", "loadFunds"],
    known,
    async (kit) => {
      const payment = await kit.payment();
      await expectChange(kit, { available: 0n }, async () => {
        await kit.reserve(payment);
        await kit.call("release", [payment.paymentId]);
        const { state } = await kit.one("reserve", payment);
        expectThat(state !== "reserved", "the outcome of the released payment", state);
      });
    },
  ),
  row(
    "K4-11",
    "a charge is reserved together with the amount",
    ["reserve", "loadFunds"],
    reserves,
    async (kit) => {
      const { currency } = await kit.account("own");
      const payment = await kit.payment({ charge: { amountMinor: kitCharge, currency } });
      await expectChange(kit, { available: -1n - kitCharge }, () => kit.reserve(payment));
    },
  ),
];
