import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ActName } from "#src/auth/own-pages/own-act.ts";
import { ownActs } from "#src/auth/own-pages/own-acts.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { optionsOn, SoftPasskey } from "#test/auth/soft-passkey.ts";
import type { Visitor } from "#test/auth/visitor.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { scheduledOrder, weeklyOrder } from "./later-orders.ts";
import { logIn } from "./log-in.ts";
import { lodge, type Order, order, untilStatus } from "./payments.ts";

// On the bank's own pages an act has two pages: the first one only leads on, and the last one asks
// and decides. So nobody is asked the same twice in a row.

let bank: TestBank;
let client: TppClient;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
});
after(() => bank?.close());

/** An order that this persona approves. */
async function ordered(customer: string, given: Order, signatories = 1): Promise<string> {
  const lodged = await lodge(client, given);
  const { consentId } = lodged;
  const all = present(
    (await bank.customers()).find(({ login }) => login === customer),
    customer,
  ).accounts;
  const { accountId } = present(
    all.find((each) => each.signatoriesRequired === signatories && each.currency === "GBP"),
    "an account",
  );
  const accounts = [accountId];
  const tokens = await bank.approve(client, { scope: "payments", consentId, customer, accounts });
  return order(client, lodged, tokens.access_token);
}

/** The path of the first link on a page that matches. */
async function linkOn(visitor: Visitor, path: string, link: RegExp): Promise<string> {
  await visitor.open(`${bank.publicUrl}${path}`);
  return present(link.exec(visitor.shown.body)?.[1], `a link on ${path}`);
}

async function addPasskey(visitor: Visitor): Promise<void> {
  await visitor.open(`${bank.publicUrl}/bank/passkeys/new`);
  await visitor.submit({ name: "My phone", decision: "continue" });
  await visitor.confirm();
  const passkey = new SoftPasskey(bank.publicUrl).make(optionsOn(visitor.shown));
  await visitor.submit({ passkey, decision: "add" });
}

type Walk = {
  act: ActName;
  customer: string;
  /** Prepares the act; returns its first page. */
  begin(visitor: Visitor): Promise<string>;
  /** What the first page sends to go on. */
  goOn: Record<string, string>;
  /** The title and the buttons of the page that decides. */
  asks: [title: string, go: string, leave: string];
};

const walks: Walk[] = [
  {
    act: "signature",
    customer: "elin",
    begin: async () => `/bank/approvals/${await ordered("dev", { amount: "1249.50" }, 2)}`,
    goOn: { decision: "approve" },
    asks: ["Approve this payment?", "Approve payment of £1,249.50", "Not now"],
  },
  {
    act: "signature",
    customer: "elin",
    begin: async () => `/bank/approvals/${await ordered("dev", weeklyOrder(bank), 2)}`,
    goOn: { decision: "approve" },
    asks: ["Approve this standing order?", "Approve standing order", "Not now"],
  },
  {
    act: "cancel order",
    customer: "amara",
    begin: async () => `/bank/upcoming/${await ordered("amara", scheduledOrder(bank))}`,
    goOn: { decision: "stop" },
    asks: ["Cancel this payment?", "Yes, cancel it", "Keep it"],
  },
  {
    act: "cancel order",
    customer: "amara",
    begin: async () => `/bank/upcoming/${await ordered("amara", weeklyOrder(bank))}`,
    goOn: { decision: "stop" },
    asks: ["Cancel this standing order?", "Yes, cancel it", "Keep it"],
  },
  {
    act: "cancel direct debit",
    customer: "amara",
    begin: (visitor) => linkOn(visitor, "/bank/direct-debits", /"(\/bank\/direct-debits\/[^"]+)"/),
    goOn: { decision: "stop" },
    asks: ["Cancel this direct debit?", "Yes, cancel it", "Keep it"],
  },
  {
    act: "save payee",
    customer: "amara",
    async begin(visitor) {
      await untilStatus(client, "domestic-payment", await ordered("amara", {}), "ACCC");
      return linkOn(visitor, "/bank/payees", /"(\/bank\/paid\/[^"]+)"/);
    },
    goOn: { decision: "save" },
    asks: ["Save this payee?", "Save payee", "Don’t save"],
  },
  {
    act: "trust payee",
    customer: "amara",
    begin: (visitor) => linkOn(visitor, "/bank/payees", /"(\/bank\/payees\/[^"]+)"/),
    goOn: { decision: "trust" },
    asks: ["Trust this payee?", "Trust this payee", "Don’t trust it"],
  },
  {
    act: "add passkey",
    customer: "finn",
    begin: async () => "/bank/passkeys/new",
    goOn: { decision: "continue", name: "My phone" },
    // the passkey is made on the page after it, by the button "Make the passkey"
    asks: ["Add this passkey?", "Continue", "Don’t add it"],
  },
  {
    act: "remove passkey",
    customer: "grace",
    async begin(visitor) {
      await addPasskey(visitor);
      return linkOn(visitor, "/bank/passkeys", /"(\/bank\/passkeys\/(?!new)[^"]+)"/);
    },
    goOn: { decision: "remove" },
    asks: ["Remove this passkey?", "Remove passkey", "Keep passkey"],
  },
];

test("every act that a customer confirms is walked below", () => {
  const walked = new Set(walks.map(({ act }) => act));
  assert.deepEqual([...walked].toSorted(), Object.keys(ownActs).toSorted());
});

const titleOf = ({ shown }: Visitor): string => /<h1>([^<]+)</.exec(shown.body)?.[1] ?? "";
const buttonsOf = ({ shown }: Visitor): string[] =>
  [...shown.body.matchAll(/<button class="button"[^>]*>([^<]+)</g)].map(([, text = ""]) => text);

for (const { act, customer, begin, goOn, asks } of walks) {
  test(`${act}: the first page only leads on, and the last page asks: ${asks[0]}`, async () => {
    const visitor = await logIn(bank, customer);
    await visitor.open(`${bank.publicUrl}${await begin(visitor)}`);
    assert.equal(visitor.shown.status, 200);
    const [first] = buttonsOf(visitor);
    assert.equal(first, "Continue", visitor.shown.body);
    assert.doesNotMatch(visitor.shown.body, /<h[12]>[^<]*\?</, "the first page asks nothing");
    await visitor.submit(goOn);
    assert.match(visitor.shown.url, /\/bank\/confirm\//);
    assert.deepEqual([titleOf(visitor), ...buttonsOf(visitor)], asks);
  });
}
