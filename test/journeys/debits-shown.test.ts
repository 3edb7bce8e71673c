// What a customer reads of the debit of a payment abroad is what is booked, or is called an
// estimate: for each charge bearer, type of rate, currency of the account, and currency of the
// amount. The payments are made three days after the approval, so all rates have moved.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { quietPersonas } from "#test/sandbox/quiet-personas.ts";
import { postingsOf } from "#test/sandbox/stored-ledger.ts";
import { nextMonday } from "./next-monday.ts";
import { payees } from "./payees-abroad.ts";
import { lodge, order, type Resource } from "./payments.ts";

type To = keyof typeof payees;
type Rate = "Actual" | "Agreed" | "Indicative" | null;
type Case = { bearer: string; rate: Rate; from: string; to: To; ordered: string };

const rates: readonly Rate[] = [null, "Indicative", "Actual", "Agreed"];
const bySwift = ["Shared", "BorneByDebtor", "BorneByCreditor"];
const ways: readonly (Pick<Case, "from" | "to"> & { bearers: readonly string[] })[] = [
  { from: "GBP", to: "USD", bearers: bySwift },
  { from: "EUR", to: "USD", bearers: bySwift },
  {
    from: "EUR",
    to: "EUR",
    bearers: ["FollowingServiceLevel", "BorneByDebtor", "BorneByCreditor"],
  },
  { from: "GBP", to: "EUR", bearers: ["FollowingServiceLevel"] },
];
const cases = ways.flatMap(({ from, to, bearers }) =>
  (from === to ? [null] : rates).flatMap((rate) =>
    bearers.flatMap((bearer) =>
      [...new Set([from, to])].map((ordered): Case => ({ bearer, rate, from, to, ordered })),
    ),
  ),
);

const nameOf = ({ bearer, rate, from, to, ordered }: Case): string =>
  `${ordered} from ${from} to ${to}, ${bearer}, ${rate ?? "no"} rate`;

/** What the pages have said of a case, and what was booked. */
type Outcome = {
  /** The debit on the page that asks for the approval. */
  review: string;
  button: string;
  approved: string;
  /** The account on the page after the approval. */
  account: string;
  sent: string;
  booked: string;
  credited: string;
};

let bank: TestBank;
let client: TppClient;
const outcomes = new Map<Case, Outcome>();
const accountsOf = new Map<string, string>();
const contracts = new Map<string, { id: string; rate: number }>();

const text = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&nbsp;", " ")
    .replaceAll(/\s+/g, " ");

const accountIn = (currency: string): string => present(accountsOf.get(currency), currency);

async function contractFor(from: string, to: string): Promise<{ id: string; rate: number }> {
  const key = `${from}-${to}`;
  const known = contracts.get(key);
  if (known) return known;
  const made = await bank.control<{ contractIdentification: string; exchangeRate: number }>(
    "POST",
    "/exchange-contracts",
    { accountId: accountIn(from), amount: { Amount: "50000.00", Currency: to }, rate: "1.1357" },
  );
  const contract = { id: made.contractIdentification, rate: made.exchangeRate };
  contracts.set(key, contract);
  return contract;
}

async function rateInformation({ rate, from, to }: Case): Promise<object> {
  if (rate === null) return {};
  const asked = { UnitCurrency: from, RateType: rate };
  if (rate !== "Agreed") return { ExchangeRateInformation: asked };
  const { id, rate: ExchangeRate } = await contractFor(from, to);
  return { ExchangeRateInformation: { ...asked, ExchangeRate, ContractIdentification: id } };
}

const dayAhead = (days: number): string =>
  `${bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().add({ days })}T00:00:00+00:00`;

/** Lets the customer approve a payment, orders it, and returns what the pages say. */
async function approve(one: Case) {
  const { payee, ...agent } = payees[one.to];
  const lodged = await lodge(client, {
    kind: "international-scheduled-payment",
    payee,
    initiation: {
      RequestedExecutionDateTime: dayAhead(3),
      CurrencyOfTransfer: one.to,
      ChargeBearer: one.bearer,
      InstructedAmount: { Amount: "53.17", Currency: one.ordered },
      ...agent,
      ...(await rateInformation(one)),
    },
  });
  const { consentId } = lodged;
  const visitor = new Visitor(bank);
  await visitor.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await visitor.submit({ login: "iris", password: "iris-sandbox", decision: "continue" });
  await visitor.confirm();
  await visitor.submit({ account: accountIn(one.from), decision: visitor.go });
  const page = visitor.shown.url;
  const review = text(visitor.shown.body);
  await visitor.submit({ decision: "approve" });
  const { access_token: token } = await client.exchangeCode(await visitor.goBack());
  const orderId = await order(client, lodged, token);
  await visitor.open(page);
  const approved = text(visitor.shown.body);
  return { orderId, review, approved };
}

before(async () => {
  bank = await openBank();
  await quietPersonas(bank.database);
  client = await bank.createTpp();
  for (const { currency, accountId } of await bank.currentAccounts("iris")) {
    accountsOf.set(currency, accountId);
  }
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  const approvals = [];
  for (const one of cases) approvals.push({ one, ...(await approve(one)) });
  await bank.advance("P4D");
  for (const { one, ...said } of approvals) outcomes.set(one, await outcomeOf(one, said));
});
after(() => bank?.close());

const pence = (minor: bigint): string => (Number(minor) / 100).toFixed(2);

async function outcomeOf(
  one: Case,
  { orderId, review, approved }: Awaited<ReturnType<typeof approve>>,
): Promise<Outcome> {
  const details = await client.call<Resource>({
    path: `/v4.0/pisp/international-scheduled-payments/${orderId}/payment-details`,
    token: await client.clientToken("payments"),
  });
  const [{ PaymentTransactionId: paymentId } = {}] = details.body.Data.PaymentStatus as {
    PaymentTransactionId?: string;
  }[];
  const postings = await postingsOf(bank.database, [present(paymentId, "the payment")]);
  const account = accountIn(one.from);
  const sum = (of: (posting: (typeof postings)[number]) => boolean) =>
    pence(postings.filter(of).reduce((total, { amountMinor }) => total + amountMinor, 0n));
  return {
    review: /Taken from your account ((?:About )?\S+)/.exec(review)?.[1] ?? "none",
    button: /Approve payment of (\S+)/.exec(review)?.[1] ?? "none",
    sent: /Sent to the payee’s bank ((?:About )?\S+)/.exec(review)?.[1] ?? "none",
    approved: leavesIn(approved) ?? /You approved (\S+) to/.exec(approved)?.[1] ?? "none",
    account: /to .+? from (.+? \(.+?\)), to be paid on \S+day /.exec(approved)?.[1] ?? "none",
    booked: sum(({ from }) => from === account),
    credited: sum(({ to }) => /^internal-(sepa|swift)-/.test(to)),
  };
}

/** What the page after the approval says of the debit, unless it is just the amount. */
const leavesIn = (approved: string): string | undefined =>
  /((?:About )?\S+) leaves this account/.exec(approved)?.[1];

const amountIn = (shown: string): string => shown.replaceAll(/[^\d.]/g, "");

for (const one of cases) {
  test(`the pages are true about ${nameOf(one)}`, () => {
    const said = present(outcomes.get(one), "an outcome");
    const all = JSON.stringify(said);
    if (said.review.startsWith("About ")) {
      assert.equal(amountIn(said.button), "53.17", all);
    } else {
      assert.equal(amountIn(said.review), said.booked, all);
      assert.equal(said.button, said.review, all);
    }
    assert.equal(said.approved, said.review, all);
    assert.match(said.account, /^(Pounds|Euros) \(/, all);
    if (!said.sent.startsWith("About ")) assert.equal(amountIn(said.sent), said.credited, all);
  });
}

test("the debit is exact where the rate and the charges are", () => {
  const exact = cases.filter((one) => !outcomes.get(one)?.review.startsWith("About "));
  assert.deepEqual(new Set(exact.map(nameOf)), new Set(cases.filter(isFixed).map(nameOf)));
});

test("one file says what leaves an account, and so decides whether that is exact", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => name.endsWith(".ts"));
  const saying = sources.filter((name) =>
    /Taken from your account|isEstimate\b(?!: boolean)(?=[:,]| =)/.test(
      readFileSync(join("src", name), "utf8"),
    ),
  );
  assert.deepEqual(saying, [join("payments", "international", "debit.ts")]);
});

/** Whether nothing of the debit depends on a rate that moves: our charges are in pounds. */
function isFixed({ bearer, rate, from, ordered }: Case): boolean {
  const isFree = bearer === "BorneByCreditor" || bearer === "FollowingServiceLevel";
  const isPromised = rate === "Actual" || rate === "Agreed";
  return (ordered === from || isPromised) && (isFree || from === "GBP");
}
