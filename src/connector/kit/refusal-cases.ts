import type { PaymentInstruction, PaymentOutcome } from "#src/bank/port.ts";
import { expectSame, expectThat } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase, KitGroup } from "./kit-case.ts";

const refused = "A payment that cannot be made is refused with a reason. It is not an error.";
const final = "refused: final; nothing is reserved, and no money moved.";

const row = (
  id: string,
  title: string,
  asks: KitCase["asks"],
  rule: string,
  run: KitCase["run"],
): KitCase => ({
  id,
  title,
  calls: ["reserve", "execute", "loadFunds"],
  asks: ["mayBeSpent", ...(asks ?? [])],
  rule,
  run,
});

/** Fails unless the core refuses a payment, at the latest when it executes it. */
async function expectRefused(
  kit: Kit,
  payment: PaymentInstruction,
): Promise<PaymentOutcome & { state: "refused" }> {
  const reserved = await kit.one("reserve", payment);
  const outcome = reserved.state === "reserved" ? await kit.one("execute", payment) : reserved;
  expectThat(outcome.state === "refused", "the payment to be refused", outcome);
  const { code } = outcome.reason;
  expectThat(/^[A-Z]{2}[A-Z0-9]{2}$/.test(code), "a reason of ISO 20022, such as AM04", outcome);
  return outcome;
}

const from = async (kit: Kit, role: "blocked" | "closed" | "empty") => {
  const { accountId, currency } = await kit.account(role);
  const amount = { amountMinor: 1n, currency };
  return kit.payment({ debtorAccountId: accountId, amount });
};

/** More than the account has. */
async function uncovered(kit: Kit): Promise<PaymentInstruction> {
  const { availableMinor } = await kit.funds(kit.idOf("own"));
  return kit.payment({ minor: availableMinor + 1n });
}

/** A payment to a number that no account has. The core may only find out when it executes it. */
async function toNobody(kit: Kit): Promise<PaymentInstruction> {
  const payment = await kit.payment();
  const { identification } = payment.creditor;
  const wrong = identification.replace(/\d{6}$/, "000000");
  return { ...payment, creditor: { ...payment.creditor, identification: wrong } };
}

/** K10: what must be refused. */
export const refusalCases: KitGroup = {
  id: "K10",
  name: "refusals",
  about: "Payments that cannot be made",
  cases: [
    row("K10-01", "a payment that is not covered is refused (AM04)", [], refused, async (kit) => {
      const outcome = await kit.one("reserve", await uncovered(kit));
      expectThat(outcome.state === "refused", "the payment to be refused", outcome);
      expectSame(outcome.reason.code, "AM04", "the reason");
    }),
    row("K10-02", "a refused payment stays refused", [], final, async (kit) => {
      const payment = await uncovered(kit);
      await kit.one("reserve", payment);
      const covered = { ...payment, amount: { ...payment.amount, amountMinor: 1n } };
      const { state } = await kit.one("reserve", covered);
      expectSame(state, "refused", "the state");
      expectSame((await kit.ask(payment.paymentId)).state, "refused", "the state by ask");
    }),
    row("K10-03", "a refused payment changes no balance", [], final, async (kit) => {
      const payment = await uncovered(kit);
      const change = await kit.change(kit.idOf("own"), () => kit.one("reserve", payment));
      expectSame(change, { booked: 0n, available: 0n }, "the change of the balances");
    }),
    row(
      "K10-04",
      "a payment from a blocked account is refused",
      ["blocked"],
      refused,
      async (kit) => {
        await expectRefused(kit, await from(kit, "blocked"));
      },
    ),
    row(
      "K10-05",
      "a payment from a closed account is refused",
      ["closed"],
      refused,
      async (kit) => {
        await expectRefused(kit, await from(kit, "closed"));
      },
    ),
    row("K10-06", "a payment from an empty account is refused", ["empty"], refused, async (kit) => {
      await expectRefused(kit, await from(kit, "empty"));
    }),
    row("K10-07", "a payment from an unknown account is refused", [], refused, async (kit) => {
      await expectRefused(kit, await kit.payment({ debtorAccountId: "no-such-account" }));
    }),
    row(
      "K10-08",
      "a domestic payment in another currency than the account's is refused",
      [],
      refused,
      async (kit) => {
        const { currency } = await kit.account("own");
        const other = currency === "CHF" ? "SEK" : "CHF";
        await expectRefused(
          kit,
          await kit.payment({ amount: { amountMinor: 1n, currency: other } }),
        );
      },
    ),
    row("K10-09", "a charge that is not covered is refused", [], refused, async (kit) => {
      const { availableMinor, currency } = await kit.funds(kit.idOf("own"));
      const payment = await kit.payment({ minor: availableMinor });
      const charge = { amountMinor: 1n, currency };
      const { state } = await kit.one("reserve", { ...payment, charge });
      expectSame(state, "refused", "the state");
    }),
    row("K10-10", "a payment to the debtor's own account is refused", [], refused, async (kit) => {
      const own = await kit.account("own");
      const payment = await kit.payment();
      const number = own.sortCodeAccountNumber ?? own.iban ?? "";
      const creditor = { ...payment.creditor, identification: number };
      await expectRefused(kit, { ...payment, creditor });
    }),
    row(
      "K10-11",
      "a payment to an account that does not exist ends without a debit",
      [],
      "returned: the scheme refused the payment after the debit; the debtor was refunded.",
      async (kit) => {
        const payment = await toNobody(kit);
        const { booked } = await kit.change(kit.idOf("own"), async () => {
          const reserved = await kit.one("reserve", payment);
          const isOpen = reserved.state === "reserved";
          const { state } = isOpen ? await kit.one("execute", payment) : reserved;
          if (state === "pending" || state === "settled") {
            kit.notes.push(`${state}: the payee's bank has not answered, or knows the number`);
          }
        });
        const { state } = await kit.ask(payment.paymentId);
        const isOver = state === "refused" || state === "returned";
        if (isOver) expectSame(booked, 0n, "the change of the booked balance");
      },
    ),
  ],
};
