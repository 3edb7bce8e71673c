import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { readRequested, writeRequested } from "#test/consents/requested-rows.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { renumberPayee } from "#test/payments/stored-orders.ts";
import { scheduledOrder, weeklyOrder } from "./later-orders.ts";
import { logIn } from "./log-in.ts";
import { lodge, type Order, order } from "./payments.ts";

// An act on the bank's own pages goes on after an upgrade that says the same in other words, and
// does not if a fact has changed.

let release = 1;
let holidays = "";
const other = (words: string): string => `${words} (release ${release})`;
const rowsOf = (rows: readonly SummaryRow[]): SummaryRow[] =>
  rows.map((row) => ({ ...row, value: other(row.value) }));
const kinds = paymentKinds.map((kind) => ({
  ...kind,
  shape: {
    ...kind.shape,
    summarise(...[plan, consent]: Parameters<PaymentKind["shape"]["summarise"]>) {
      const config = holidays ? { ...plan.config, BANK_HOLIDAYS: holidays } : plan.config;
      const summary = kind.shape.summarise({ ...plan, config }, consent);
      return { ...summary, amount: other(summary.amount), rows: rowsOf(summary.rows) };
    },
    listed(...given: Parameters<PaymentKind["shape"]["listed"]>) {
      const listed = kind.shape.listed(...given);
      const rows = (day: string) => rowsOf(listed.rows(day));
      return { ...listed, amount: other(listed.amount), rows };
    },
  },
})) as PaymentKind[];

let bank: TestBank;
let client: TppClient;
before(async () => {
  bank = await openBank({}, undefined, kinds);
  client = await bank.createTpp();
});
after(() => bank?.close());

/** An order that this persona has approved from an account that so many must sign for. */
async function ordered(customer: string, given: Order, signatories: number) {
  const lodged = await lodge(client, given);
  const all = (await bank.customers()).find(({ login }) => login === customer);
  const { accountId } = present(
    all?.accounts.find((one) => one.signatoriesRequired === signatories && one.currency === "GBP"),
    "an account",
  );
  const { consentId } = lodged;
  const accounts = [accountId];
  const tokens = await bank.approve(client, { scope: "payments", consentId, customer, accounts });
  return { consentId, orderId: await order(client, lodged, tokens.access_token) };
}

type Placed = { consentId: string; orderId: string };

/** Changes the reference of the request. */
async function refer({ consentId }: Placed): Promise<void> {
  const stored = await readRequested(bank.database, consentId);
  const text = JSON.stringify(stored).replace("Invoice 42", "Invoice 43");
  await writeRequested(bank.database, consentId, JSON.parse(text) as typeof stored);
}

type Act = { customer: string; path: string; decision: string; signatories: number; done: RegExp };
const acts: Record<string, Act> = {
  signature: {
    ...{ customer: "elin", path: "/bank/approvals/", decision: "approve", signatories: 2 },
    done: /You have approved/,
  },
  "cancel order": {
    ...{ customer: "amara", path: "/bank/upcoming/", decision: "stop", signatories: 1 },
    done: /has been cancelled/,
  },
};
const orders = { payment: () => scheduledOrder(bank), "standing order": () => weeklyOrder(bank) };

for (const [name, act] of Object.entries(acts)) {
  for (const [what, given] of Object.entries(orders)) {
    const begin = async () => {
      const { customer, path, decision, signatories } = act;
      const owner = signatories === 2 ? "dev" : customer;
      const placed = await ordered(owner, given(), signatories);
      const visitor = await logIn(bank, customer);
      await visitor.open(`${bank.publicUrl}${path}${placed.orderId}`);
      release += 1;
      await visitor.submit({ decision });
      assert.equal(visitor.step, "factor", visitor.shown.body);
      assert.ok(visitor.shown.body.includes(`(release ${release})`));
      release += 1;
      return { visitor, ...placed };
    };

    test(`${name} of a ${what} is done although its words have changed on the way`, async () => {
      const { visitor } = await begin();
      await visitor.confirm();
      assert.match(visitor.shown.body, act.done);
    });

    const renumber = ({ orderId }: Placed) =>
      renumberPayee(bank.database, orderId, "00990000000001", "00990000000002");
    const changes: Record<string, (placed: Placed) => Promise<unknown>> = {
      "the payee that is paid": renumber,
      ...(name === "signature" && { "what was ordered": refer }),
    };
    for (const [fact, change] of Object.entries(changes)) {
      test(`${name} of a ${what} is not done if ${fact} has changed on the way`, async () => {
        const { visitor, ...placed } = await begin();
        await change(placed);
        await visitor.confirm();
        assert.match(visitor.shown.body, /This has changed since you opened it/);
      });
    }
  }
}

test("a further signatory reads a payment again if it arrives on another day by now", async () => {
  const { initiation } = scheduledOrder(bank);
  const given: Order = {
    kind: "domestic-scheduled-payment",
    initiation: { ...initiation, LocalInstrument: "UK.OBIE.BACS" },
  };
  const { orderId } = await ordered("dev", given, 2);
  const visitor = await logIn(bank, "elin");
  await visitor.open(`${bank.publicUrl}/bank/approvals/${orderId}`);
  const arrival = () => /Arrives by<\/dt>\s*<dd>([^(]+)/.exec(visitor.shown.body)?.[1];
  const before = present(arrival(), "the day of the arrival");
  const day = new Date(`${before} UTC`).toISOString().slice(0, 10);
  holidays = `+${day}`;
  await visitor.submit({ decision: "approve" });
  holidays = "";
  assert.match(visitor.shown.body, /This has changed since you opened it/);
});
