import type { PaymentInstruction } from "#src/bank/port.ts";
import { finish } from "./doubt-cases.ts";
import { expectPaid, expectSame, expectThat } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase, KitGroup } from "./kit-case.ts";
import { readOn, sharedWalk } from "./read-facts.ts";

const forever = "The core recognises each payment indefinitely.";
const underWay = 12;

const row = (
  id: string,
  title: string,
  rule: string,
  run: KitCase["run"],
  calls: KitCase["calls"] = ["reserve", "execute", "ask", "release", "loadFunds"],
): KitCase => ({
  id,
  title,
  calls,
  asks: calls.includes("reserve") ? ["mayBeSpent", "restart"] : ["restart"],
  rule,
  run,
});

type Before = Record<"reserved" | "made" | "released" | "refused", PaymentInstruction> & {
  about: string;
  booked: bigint;
};

/** Makes payments in several states, and restarts the core, once for several cases. */
const restarted = (kit: Kit): Promise<Before> =>
  kit.shared("restarted", async () => {
    const { availableMinor } = await kit.funds(kit.idOf("own"));
    const [reserved, made, released] = [
      await kit.payment(),
      await kit.payment(),
      await kit.payment(),
    ];
    const refused = await kit.payment({ minor: availableMinor + 1n });
    await kit.one("reserve", refused);
    await kit.reserve(released);
    await kit.call("release", [released.paymentId]);
    await kit.pay(made);
    await kit.reserve(reserved);
    const { answer: about } = await kit.sendAbout();
    const { bookedMinor: booked } = await kit.funds(kit.idOf("own"));
    await kit.restart();
    return { reserved, made, released, refused, about, booked };
  });

/** K9: the core stops and starts. */
export const restartCases: KitGroup = {
  id: "K9",
  name: "restart",
  about: "Restarts of the core",
  cases: [
    row("K9-01", "a reserved payment is known after a restart", forever, async (kit) => {
      const { reserved } = await restarted(kit);
      expectSame((await kit.ask(reserved.paymentId)).state, "reserved", "the state");
    }),
    row("K9-02", "an executed payment is known after a restart", forever, async (kit) => {
      const { made } = await restarted(kit);
      expectPaid(await kit.ask(made.paymentId));
    }),
    row("K9-03", "a refused payment is refused after a restart", forever, async (kit) => {
      const { refused } = await restarted(kit);
      expectSame((await kit.ask(refused.paymentId)).state, "refused", "the state");
    }),
    row("K9-04", "a released payment is not made after a restart", forever, async (kit) => {
      const { released } = await restarted(kit);
      const { state } = await kit.one("execute", released);
      const isMade = state === "settled" || state === "pending";
      expectThat(!isMade, "the payment not to be made", state);
    }),
    row("K9-05", "an executed payment is not made again after a restart", forever, async (kit) => {
      const { made } = await restarted(kit);
      const { booked } = await kit.change(kit.idOf("own"), async () => {
        await kit.one("reserve", made);
        await kit.one("execute", made);
      });
      expectSame(booked, 0n, "the change of the booked balance");
    }),
    row(
      "K9-06",
      "a payment that was reserved before a restart can be made",
      forever,
      async (kit) => {
        const { reserved } = await restarted(kit);
        const { booked } = await kit.change(kit.idOf("own"), async () => {
          expectPaid(await kit.one("execute", reserved));
        });
        expectSame(booked, -1n, "the change of the booked balance");
      },
    ),
    row(
      "K9-07",
      "the core says the same of itself after a restart",
      "GET /about says what the core has.",
      async (kit) => {
        const { about } = await restarted(kit);
        expectSame((await kit.sendAbout()).answer, about, "the answer before the restart");
      },
    ),
    row(
      "K9-08",
      "payments that are under way during a restart are each made once",
      forever,
      async (kit) => {
        const payments = await Promise.all(Array.from({ length: underWay }, () => kit.payment()));
        const { booked } = await kit.change(kit.idOf("own"), async () => {
          await kit.call("reserve", payments);
          const calls = payments.map((payment) => kit.send("execute", [[payment]]));
          await Promise.all([kit.restart(), ...calls]);
          for (const payment of payments) expectPaid(await finish(kit, payment));
        });
        expectSame(booked, -BigInt(underWay), "the change of the booked balance");
      },
    ),
    row(
      "K9-09",
      "a cursor from before a restart is still one",
      "readChanges returns what has changed after a cursor.",
      async (kit) => {
        const walk = await sharedWalk(kit);
        await restarted(kit);
        await readOn(kit, walk);
      },
      ["readChanges", "reserve", "execute", "release", "loadFunds"],
    ),
  ],
};
