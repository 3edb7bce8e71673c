import type { PaymentInstruction, PaymentOutcome } from "#src/bank/port.ts";
import { type Cut, cuts } from "./cut-request.ts";
import { expectPaid, expectSame, expectThat } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase, KitGroup } from "./kit-case.ts";
import { payingCase } from "./money-case.ts";

const found =
  "After a lost answer, ask tells what the core has done, and the same call again is safe.";
const whole = "A request that has not arrived as a whole changes nothing.";

const own = (kit: Kit): string => kit.idOf("own");
const mostRounds = 40;
const roundMs = 25;
const chaoticPayments = 24;
const lostBatch = 8;

/**
 * Does with a payment in doubt what Aldgate does: it asks, and repeats the call that is next.
 * Returns the last outcome.
 */
export async function finish(kit: Kit, payment: PaymentInstruction): Promise<PaymentOutcome> {
  let outcome: PaymentOutcome = { state: "unknown" };
  for (let round = 0; round < mostRounds; round += 1) {
    outcome = await kit.ask(payment.paymentId);
    if (outcome.state === "unknown") outcome = await kit.one("reserve", payment);
    if (outcome.state === "reserved") outcome = await kit.one("execute", payment);
    if (outcome.state !== "failed" && outcome.state !== "unknown") return outcome;
    await new Promise((resolve) => setTimeout(resolve, roundMs));
  }
  return outcome;
}

/** Fails unless each payment is debited once after these cuts. */
async function expectOnce(
  kit: Kit,
  payments: readonly PaymentInstruction[],
  act: () => Promise<void>,
): Promise<void> {
  const { booked, available } = await kit.change(own(kit), async () => {
    await act();
    for (const payment of payments) expectPaid(await finish(kit, payment));
  });
  const sum = -BigInt(payments.length);
  expectSame({ booked, available }, { booked: sum, available: sum }, "one debit for each payment");
}

/** A case in which the connection of one call is cut. */
const cutCase = (id: string, name: "reserve" | "execute", when: Cut, title: string): KitCase =>
  payingCase(id, title, when === "before" || when === "during" ? whole : found, async (kit) => {
    const payment = await kit.payment();
    await expectOnce(kit, [payment], async () => {
      if (name === "execute") await kit.reserve(payment);
      await kit.cut(name, [[payment]], when);
      if (when === "sent" || when === "answered") return;
      const { state } = await kit.ask(payment.paymentId);
      expectSame(state, name === "reserve" ? "unknown" : "reserved", "the state after the cut");
    });
  });

/** Numbers from 0 to 1 that depend only on the seed. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** K5: connections that are lost at the worst moment. */
export const doubtCases: KitGroup = {
  id: "K5",
  name: "doubt",
  about: "Lost connections and answers",
  cases: [
    cutCase("K5-01", "reserve", "before", "a connection without a request reserves nothing"),
    cutCase("K5-02", "reserve", "during", "half a request reserves nothing"),
    cutCase("K5-03", "reserve", "sent", "a payment whose caller has gone is reserved once or not"),
    cutCase(
      "K5-04",
      "reserve",
      "answered",
      "a payment whose reservation was not heard is held once",
    ),
    cutCase("K5-05", "execute", "before", "a connection without a request executes nothing"),
    cutCase("K5-06", "execute", "during", "half a request executes nothing"),
    cutCase("K5-07", "execute", "sent", "a payment whose caller has gone is made once or not"),
    cutCase("K5-08", "execute", "answered", "a payment whose execution was not heard is made once"),
    payingCase(
      "K5-09",
      "ask finds a payment whose reservation was not heard",
      found,
      async (kit) => {
        const payment = await kit.payment();
        await kit.cut("reserve", [[payment]], "answered");
        expectSame((await kit.ask(payment.paymentId)).state, "reserved", "the state");
      },
    ),
    payingCase("K5-10", "ask finds a payment whose execution was not heard", found, async (kit) => {
      const payment = await kit.payment();
      await kit.reserve(payment);
      await kit.cut("execute", [[payment]], "answered");
      expectPaid(await kit.ask(payment.paymentId));
    }),
    payingCase("K5-11", "a release that was not heard can be repeated", found, async (kit) => {
      const payment = await kit.payment();
      const { available } = await kit.change(own(kit), async () => {
        await kit.reserve(payment);
        await kit.cut("release", [[payment.paymentId]], "answered");
        await kit.call("release", [payment.paymentId]);
      });
      expectSame(available, 0n, "the change of the available balance");
    }),
    payingCase("K5-12", "a question that was not heard changes nothing", found, async (kit) => {
      const payment = await kit.payment();
      await expectOnce(kit, [payment], async () => {
        await kit.reserve(payment);
        for (const when of cuts) await kit.cut("ask", [[payment.paymentId]], when);
        expectSame((await kit.ask(payment.paymentId)).state, "reserved", "the state");
      });
    }),
    payingCase(
      "K5-13",
      `each of ${lostBatch} payments of a lost batch is found by its id`,
      found,
      async (kit) => {
        const payments = await Promise.all(Array.from({ length: lostBatch }, () => kit.payment()));
        await expectOnce(kit, payments, async () => {
          await kit.cut("reserve", [payments], "answered");
          const states = (
            await kit.call(
              "ask",
              payments.map(({ paymentId }) => paymentId),
            )
          ).map(({ state }) => state);
          expectSame([...new Set(states)], ["reserved"], "the states");
          await kit.cut("execute", [payments], "answered");
        });
      },
    ),
    payingCase(
      "K5-14",
      `${chaoticPayments} payments with random cuts are each made once`,
      found,
      async (kit) => {
        kit.notes.push(`--seed ${kit.seed}`);
        const next = numbersFrom(kit.seed);
        const cut = (): Cut | undefined => cuts[Math.floor(next() * (cuts.length + 1))];
        const payments = await Promise.all(
          Array.from({ length: chaoticPayments }, () => kit.payment()),
        );
        await expectOnce(kit, payments, async () => {
          for (const name of ["reserve", "execute", "execute"] as const) {
            await Promise.all(
              payments.map((payment) => {
                const when = cut();
                if (name === "execute" && next() < 0.3) return undefined;
                return when
                  ? kit.cut(name, [[payment]], when)
                  : kit.send(name, [[payment]]).then(() => undefined);
              }),
            );
          }
        });
      },
    ),
    payingCase(
      "K5-15",
      "a call that comes late, after the payment, changes nothing",
      found,
      async (kit) => {
        const payment = await kit.payment();
        await expectOnce(kit, [payment], async () => {
          await kit.pay(payment);
          const { state } = await kit.one("reserve", payment);
          expectThat(state !== "reserved", "the outcome of the payment", state);
          await kit.one("execute", payment);
        });
      },
    ),
  ],
};
