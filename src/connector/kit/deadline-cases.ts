import type { PaymentInstruction } from "#src/bank/port.ts";
import { countOf } from "#src/lib/plain-text.ts";
import type { KitExchange } from "./client.ts";
import { expectPaid, expectSame, expectThat } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase, KitGroup } from "./kit-case.ts";
import { payingCase } from "./money-case.ts";

const inTime = "Aldgate waits for an answer as long as Aldgate-Deadline-Ms says.";
const late = "What a core does after the deadline is found by ask, or not done.";

const own = (kit: Kit): string => kit.idOf("own");
const shortMs = 1;
const patienceMs = 15_000;
const calls = 60;
const atOnce = 10;

/** Runs something many times, a few at once, and returns the answers. */
async function many(
  count: number,
  width: number,
  act: (index: number) => Promise<KitExchange>,
): Promise<KitExchange[]> {
  const found: KitExchange[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      found.push(await act(index));
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return found;
}

/** Fails unless every answer is 200 and came in time. */
function expectInTime(kit: Kit, found: readonly KitExchange[], deadlineMs: number): void {
  const times = found.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
  const at = (share: number): string =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0);
  kit.notes.push(`p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  const bad = found.filter(({ status }) => status !== 200);
  const [first] = bad;
  const came =
    first &&
    `${countOf(bad.length, "other", "others")}, such as ${first.status ?? ""} ${first.answer}`;
  expectThat(
    bad.length === 0,
    `${countOf(found.length, "answer", "answers")} within ${deadlineMs} ms each`,
    came,
  );
}

const row = (
  id: string,
  title: string,
  needs: KitCase["calls"],
  rule: string,
  run: KitCase["run"],
): KitCase => ({ id, title, calls: needs, rule, run });

/** Waits until the core has answered a call about the payment, or has given up. */
const hurry = (kit: Kit, name: "reserve" | "execute", payment: PaymentInstruction) =>
  kit.send(name, [[payment]], { deadlineMs: shortMs, waitMs: patienceMs });

/** K6: in time, or found afterwards. */
export const deadlineCases: KitGroup = {
  id: "K6",
  name: "deadlines",
  about: "Deadlines and calls at the same time",
  cases: [
    row(
      "K6-01",
      `${calls} questions for balances, ${atOnce} at once, are answered in time`,
      ["loadFunds"],
      inTime,
      async (kit) => {
        const found = await many(calls, atOnce, () => kit.send("loadFunds", [[own(kit)]]));
        expectInTime(kit, found, kit.deadlineOf("loadFunds"));
      },
    ),
    row(
      "K6-02",
      `${calls} lists of accounts, ${atOnce} at once, are answered in time`,
      ["listAccounts"],
      inTime,
      async (kit) => {
        const { customerId } = await kit.customer(0);
        const found = await many(calls, atOnce, () => kit.send("listAccounts", [customerId]));
        expectInTime(kit, found, kit.deadlineOf("listAccounts"));
      },
    ),
    payingCase(
      "K6-03",
      `${atOnce} payments at once are reserved and executed in time`,
      inTime,
      async (kit) => {
        const payments = await Promise.all(Array.from({ length: atOnce }, () => kit.payment()));
        const send = (name: "reserve" | "execute") =>
          many(atOnce, atOnce, (index) => kit.send(name, [payments.slice(index, index + 1)]));
        expectInTime(kit, await send("reserve"), kit.deadlineOf("reserve"));
        expectInTime(kit, await send("execute"), kit.deadlineOf("execute"));
      },
    ),
    payingCase(
      "K6-04",
      "what reserve does after the deadline is found by ask",
      late,
      async (kit) => {
        const payment = await kit.payment();
        let state = "";
        const { available } = await kit.change(own(kit), async () => {
          await hurry(kit, "reserve", payment);
          ({ state } = await kit.ask(payment.paymentId));
        });
        const isHeld = state === "reserved";
        expectSame(available, isHeld ? -1n : 0n, `the available balance when ask says ${state}`);
      },
    ),
    payingCase(
      "K6-05",
      "what execute does after the deadline is found by ask",
      late,
      async (kit) => {
        const payment = await kit.payment();
        await kit.reserve(payment);
        let state = "";
        const { booked } = await kit.change(own(kit), async () => {
          await hurry(kit, "execute", payment);
          ({ state } = await kit.ask(payment.paymentId));
        });
        const isMade = state === "settled" || state === "pending";
        expectSame(booked, isMade ? -1n : 0n, `the booked balance when ask says ${state}`);
      },
    ),
    payingCase(
      "K6-06",
      "a payment that was too late can be made with more time",
      late,
      async (kit) => {
        const payment = await kit.payment();
        const { booked } = await kit.change(own(kit), async () => {
          await hurry(kit, "reserve", payment);
          await kit.reserve(payment);
          await hurry(kit, "execute", payment);
          expectPaid(await kit.one("execute", payment));
        });
        expectSame(booked, -1n, "the change of the booked balance");
      },
    ),
    row(
      "K6-07",
      "a call with hardly any time is answered all the same",
      ["loadAccount"],
      inTime,
      async (kit) => {
        const more = { deadlineMs: shortMs, waitMs: patienceMs };
        const { status, answer } = await kit.send("loadAccount", [own(kit)], more);
        expectThat(status !== null, "an answer, of any status", answer);
      },
    ),
  ],
};
