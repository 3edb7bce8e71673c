import { assert, present } from "#src/lib/assert.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { ServedKind } from "#src/payments/definitions/payment-kind.ts";
import { exposeDetailStatus, settledStatuses } from "#src/payments/order/order-states.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { pathOf } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { DemoCreditor, OfferedKind } from "#src/server/examples/example.ts";
import { demoOf, examplesIn } from "#src/server/examples/examples.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { type CreatedResource, type DemoScene, simpleAccount } from "./demo-scene.ts";

type DemoPayment = {
  /** The kinds to choose from: the first that the bank offers is paid. */
  kinds: readonly ServedKind<OfferedKind>[];
  /** The version of account information in which the account is read back. */
  aisp: ApiVersion;
};

/** Makes a payment, waits for its settlement, and reads the account back, if the bank offers it. */
export async function payAndReadBack(
  scene: DemoScene,
  { kinds, aisp }: DemoPayment,
): Promise<void> {
  const [first, second] = await scene.chooseCustomers();
  const [payer, payee] = [present(first, "a payer"), present(second, "a payee")];
  const kind = await chooseKind(scene, kinds);
  const canRead = await scene.canDo("reading the account", aisp, "/accounts");
  if (kind === null && !canRead) return;
  const client = await scene.register();
  const before = await balances(scene, payer, payee);
  const paid = kind && (await pay(scene, client, kind, payer, payee));
  const after = await balances(scene, payer, payee);
  const isFound = canRead && (await readBack(scene, client, aisp, payer, paid));
  if (kind !== null) {
    printBalances(scene, [payer, payee], before, after);
    const { advance, nextPeriod } = demoOf(kind);
    if (advance ?? nextPeriod) scene.cli.print(alsoDue);
    if (advance === null) assert(before.join() !== after.join(), "money moved");
  }
  const breaches = await scene.sandbox.verify();
  assert(breaches.length === 0, `the ledger holds: ${breaches.join("; ")}`);
  const done = [
    ...(paid ? ["the payment settled", "both sides of it are on the ledger"] : []),
    ...(isFound ? ["the TPP found it in the account's transactions"] : []),
    ...(paid || !canRead ? [] : ["the TPP read the account"]),
  ];
  scene.cli.print(`\nDone: ${listed.format(done)}.`);
}

const alsoDue =
  "   The demo has set the clock forward. What else fell due for these customers meanwhile, such as\n" +
  "   direct debits, is in these balances too.";

const listed = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** The first of these kinds that the bank offers; null if it offers none, which it says. */
async function chooseKind(
  scene: DemoScene,
  kinds: DemoPayment["kinds"],
): Promise<ServedKind<OfferedKind> | null> {
  for (const kind of kinds) {
    if (await scene.canDo(`the kind ${kind.id}`, kind.format.version, `/${kind.id}s`)) return kind;
  }
  return null;
}

async function pay(
  scene: DemoScene,
  client: TppClient,
  kind: ServedKind<OfferedKind>,
  payer: SandboxCustomer,
  payee: SandboxCustomer,
): Promise<Paid> {
  const base = `${pathOf(kind.format.version)}/${kind.id}`;
  const ours = await scene.ownToken(client, "payments");
  const demo = demoOf(kind);
  const creditor = demo.creditor ?? accountOf(payee);
  const now = await scene.sandbox.now();
  const examples = examplesIn(kind, kind.format.version.id);
  const { consent: body, order: ordered, file } = examples.demo(creditor, now);
  const consent = await scene.call<CreatedResource>(client, "It creates a consent", 201, {
    path: `${base}-consents`,
    token: ours,
    body,
  });
  assert(await client.verifySignature(consent), "the bank signed its answer");
  const consentId = textOf(consent.body.Data.ConsentId);
  if (file !== undefined) {
    const path = `${base}-consents/${consentId}/file`;
    await scene.call(client, "It uploads the file", 200, { path, token: ours, body: file });
  }
  const theirs = await scene.approve(client, "payments", consentId, payer, "one");
  const submit = (what: string, token: string, status = 201) =>
    scene.call<CreatedResource>(client, what, status, {
      path: `${base}s`,
      token,
      body: { ...ordered, Data: { ...ordered.Data, ConsentId: consentId } },
    });
  let order = await submit("It makes the payment", theirs.access_token);
  if (demo.nextPeriod) {
    await submit("It makes another payment under the same consent", theirs.access_token);
    await submit("The limit is used up, so the next one is refused", theirs.access_token, 400);
    await scene.advance(demo.nextPeriod);
    const renewed = await client.refresh(present(theirs.refresh_token, "a refresh token"));
    order = await submit("In the next period it pays again", renewed.access_token);
  }
  const orderId = textOf(order.body.Data[kind.orderIdField]);
  if (demo.advance) await scene.advance(demo.advance);
  const paymentId = await settle(scene, client, kind, `${base}s/${orderId}`);
  return { paymentId, amount: amountOf(ordered) ?? amountOf(body) };
}

/** How the demo recognises its payment among the account's transactions. */
type Paid = { paymentId: string; amount: string | null };

const amountOf = (body: object): string | null =>
  /"InstructedAmount":\{[^{}]*"Amount":"([\d.]+)"/.exec(JSON.stringify(body))?.[1] ?? null;

async function settle(
  scene: DemoScene,
  client: TppClient,
  { format: { statuses } }: ServedKind,
  path: string,
): Promise<string> {
  const final = settledStatuses(statuses);
  const rejected = exposeDetailStatus(statuses, "RJCT");
  // a token may have expired when the clock went forward
  const token = await client.clientToken("payments");
  const details = `${path}/payment-details`;
  let first: Details["Data"]["PaymentStatus"][number] | undefined;
  for (let tries = 0; tries < 200; tries += 1) {
    const { body } = await client.call<Details>({ path: details, token });
    [first] = body.Data.PaymentStatus;
    if (first && final.has(first.Status)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { body } = await client.call<CreatedResource>({ path, token });
  const status = textOf(body.Data.Status);
  scene.tell("The engine executes it", `GET ${path}`, `200, Status ${status}`);
  await scene.call<Details>(client, "Its details", 200, { path: details, token });
  const executed = present(first, "an entry of payment-details");
  assert(executed.Status !== rejected, `the payment was accepted, not ${JSON.stringify(first)}`);
  return executed.PaymentTransactionId;
}

/** The permissions to read an account, by the path that each needs. */
const permissionsFor = {
  "/accounts": ["ReadAccountsDetail"],
  "/accounts/{AccountId}/balances": ["ReadBalances"],
  "/accounts/{AccountId}/transactions": [
    "ReadTransactionsDetail",
    "ReadTransactionsCredits",
    "ReadTransactionsDebits",
  ],
};
const transactionsPath = "/accounts/{AccountId}/transactions";

/** Reads the account. Returns whether the payment is among its transactions. */
async function readBack(
  scene: DemoScene,
  client: TppClient,
  aisp: ApiVersion,
  payer: SandboxCustomer,
  paid: Paid | null,
): Promise<boolean> {
  const base = pathOf(aisp);
  const permissions: string[] = [];
  for (const [path, needed] of Object.entries(permissionsFor)) {
    if (await scene.offers(aisp, path)) permissions.push(...needed);
  }
  const ours = await client.clientToken("accounts");
  const consent = await scene.call<CreatedResource>(client, "It asks to read the account", 201, {
    path: `${base}/account-access-consents`,
    token: ours,
    body: { Data: { Permissions: permissions }, Risk: {} },
  });
  const consentId = textOf(consent.body.Data.ConsentId);
  const { access_token: theirs } = await scene.approve(client, "accounts", consentId, payer, "one");
  await scene.call(client, "It lists the accounts", 200, {
    path: `${base}/accounts`,
    token: theirs,
  });
  if (!(await scene.canDo("reading the transactions", aisp, transactionsPath))) return false;
  const { accountId } = simpleAccount(payer);
  const path = `${base}/accounts/${accountId}/transactions`;
  // a core sends its transactions some time after the payment
  for (let tries = 0; paid && tries < 100; tries += 1) {
    const { body } = await client.call<Transactions>({ path, token: theirs });
    if (findPaid(body, paid)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const page = await scene.call<Transactions>(client, "It reads the transactions", 200, {
    path,
    token: theirs,
  });
  if (!paid) return false;
  const found = findPaid(page.body, paid);
  assert(
    found,
    `the payment ${paid.paymentId} is among the account's transactions. A core of your own sends ` +
      "them through the feed (docs/own-core.md)",
  );
  scene.cli.print(`\n   ${JSON.stringify(found)}`);
  return true;
}

async function balances(scene: DemoScene, ...customers: SandboxCustomer[]): Promise<string[]> {
  const all = await scene.sandbox.listCustomers();
  return customers.map((customer) => {
    const now = all.find(({ login }) => login === customer.login);
    return simpleAccount(present(now, "the customer")).balance ?? "not known";
  });
}

function printBalances(
  { cli }: DemoScene,
  customers: SandboxCustomer[],
  before: string[],
  after: string[],
): void {
  cli.print(`\n   ${"".padEnd(24)}${"before".padStart(14)}${"after".padStart(14)}`);
  customers.forEach(({ name }, index) => {
    const [was = "", is = ""] = [before[index], after[index]];
    cli.print(`   ${name.padEnd(24)}${was.padStart(14)}${is.padStart(14)}`);
  });
}

type Details = { Data: { PaymentStatus: { PaymentTransactionId: string; Status: string }[] } };
type Transaction = { CreditDebitIndicator?: string; Amount?: { Amount: string } };
type Transactions = { Data: { Transaction: Transaction[] } };

/**
 * The payment's transaction, the newest first. The sandbox bank puts the payment's id into it; a
 * bank's own core need not, so the newest debit of the amount is taken.
 */
const findPaid = (
  { Data: { Transaction: all = [] } }: Transactions,
  { paymentId, amount }: Paid,
): object | undefined =>
  all.find((one) => JSON.stringify(one).includes(paymentId)) ??
  all.find((one) => one.CreditDebitIndicator === "Debit" && one.Amount?.Amount === amount);

/** The account that a customer of this bank is paid on. */
function accountOf(payee: SandboxCustomer): DemoCreditor {
  const account = simpleAccount(payee);
  return {
    SchemeName: account.schemeName,
    Identification: account.identification,
    Name: payee.name,
  };
}
