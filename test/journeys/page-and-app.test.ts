import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { CardIssuer, named } from "#test/funds/card-issuer.ts";
import { expectStatus, openBank } from "#test/harness.ts";
import { callChannel } from "./call-channel.ts";
import type { Customer } from "./customer.ts";
import { type JourneyBed, openBefore } from "./journey-bed.ts";
import { kindSample } from "./kind-sample.ts";
import { openMarket } from "./page-bed.ts";
import { lodgeAccess, type Resource } from "./payments.ts";

// A page tells the customer to approve only if the app shows the same details. So each fact that
// the app shows is on each page that asks for an approval: for all kinds, whether the account has
// one signatory or several, and in the bank's app too, where the summary stands beside the facts.
// Source: SCA-RTS article 5(1).

const token = "a-token-of-the-banks-own-channels";
let opened: JourneyBed;
openBefore(
  async (bed) => {
    opened = bed;
    await openMarket(bed);
  },
  () => openBank({ APP_TOKEN: token }),
);

type Row = { label: string; value: string };
type Scope = "payments" | "accounts" | "fundsconfirmations";
type Journey = { facts: Row[]; summary: { rows: Row[] }; journeyId: string; shownHash: string };

type Debtor = { DebtorAccount: { SchemeName: string; Identification: string } };

/** Who approves what, from which account. */
type Case = {
  login: string;
  account: (one: { currency: string; signatoriesRequired: number }) => boolean;
  scope?: Scope;
  /** Lodges the consent; `debtor` is the account if the TPP is to name it. */
  lodge(debtor?: Debtor): Promise<string>;
  isNamed?: boolean;
  /** Whether the core asks for a further code. */
  stepsUp?: boolean;
};

const alone: Case["account"] = ({ currency, signatoriesRequired }) =>
  currency === "GBP" && signatoriesRequired === 1;
const shared: Case["account"] = ({ signatoriesRequired }) => signatoriesRequired > 1;

/** Lodges the sample of a kind, with a reference for which the core asks for a further code. */
async function lodge(kind: PaymentKind, members: object = {}): Promise<string> {
  const { bank, client } = opened;
  const { consent, file } = kindSample(bank, kind);
  const { DebtorAccount: _, SupplementaryData: __, ...initiation } = consent.Data.Initiation;
  const RemittanceInformation = { Unstructured: ["OUTCOME 35"] };
  const Initiation = file ? initiation : { ...initiation, RemittanceInformation, ...members };
  const lodgedToken = await client.clientToken("payments");
  const path = `/v4.0/pisp/${kind.id}-consents`;
  const body = { ...consent, Data: { ...consent.Data, Initiation } };
  const lodged = await client.call<Resource>({ path, token: lodgedToken, body });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  if (file) {
    const uploaded = { path: `${path}/${consentId}/file`, token: lodgedToken, body: file };
    expectStatus(await client.call(uploaded), 200);
  }
  return consentId;
}

const cases: Record<string, Case> = {};
for (const kind of paymentKinds) {
  const isAbroad = kind.currencies === "exchanged";
  const stepsUp = kind.id !== "file-payment";
  const from = (login: string, account: Case["account"], members: object = {}): Case => ({
    ...{ login, account, stepsUp, lodge: (debtor) => lodge(kind, { ...members, ...debtor }) },
  });
  cases[kind.id] = from(isAbroad ? "iris" : "amara", alone);
  if (!kind.shape.hasOneSignatory) cases[`${kind.id}, shared`] = from("dev", shared);
  for (const name of stepsUp ? [kind.id, `${kind.id}, shared`] : []) {
    const found = cases[name];
    if (found) cases[`${name}, of an account that the TPP names`] = { ...found, isNamed: true };
  }
  if (isAbroad && kind.id !== "international-standing-order") {
    // our charges are in pounds: a third currency
    cases[`${kind.id} at a fixed rate from euros`] = from(
      "iris",
      ({ currency }) => currency === "EUR",
      {
        CurrencyOfTransfer: "USD",
        InstructedAmount: { Amount: "250.00", Currency: "USD" },
        ExchangeRateInformation: { UnitCurrency: "EUR", RateType: "Actual" },
      },
    );
  }
}
cases["account access"] = {
  ...{ login: "amara", account: alone, scope: "accounts", lodge: () => lodgeAccess(opened.client) },
};
cases["funds confirmation"] = {
  ...{ login: "amara", account: alone, scope: "fundsconfirmations" },
  async lodge() {
    const [everyday] = await opened.bank.currentAccounts("amara");
    const issuer = new CardIssuer(opened.bank, opened.client, "/v4.0/cbpii");
    return issuer.consentId(named(everyday?.identification ?? null));
  },
};

const plain = (text: string | null): string => (text ?? "").replaceAll(/\s+/g, " ").trim();

/** The rows of a page, and its figure in large type. */
async function rowsOf({ page }: Customer): Promise<Row[]> {
  const read = async (rows: string, label: string, value: string): Promise<Row[]> => {
    const found = await page.locator(rows).all();
    return Promise.all(
      found.map(async (each) => ({
        label: plain(await each.locator(label).first().textContent()),
        value: plain(await each.locator(value).first().textContent()),
      })),
    );
  };
  return [...(await read("dl > div", "dt", "dd")), ...(await read(".figure", ".label", "strong"))];
}

// the page for the whole consent has other labels for what it shows in another form
const otherLabels: Record<string, string> = {
  Pay: "Amount",
  "Pay in total": "Total",
  "Allow payments": "Payments",
  "Payee’s account": "To",
};

/** Asserts that each fact of the app is on a page: as a row, or in the words around the rows. */
async function assertShows(customer: Customer, facts: readonly Row[], where: string) {
  const rows = await rowsOf(customer);
  const text = await customer.text();
  const all = JSON.stringify(rows, null, 1);
  for (const { label, value } of facts) {
    const fact = `${where}: "${label}: ${value}" in ${all}`;
    if (["Access for", "To see", "Allow funds checks by", "Account"].includes(label)) {
      for (const line of value.split(",\n")) assert.ok(text.includes(plain(line)), fact);
    } else if (label === "From") {
      const ending = value.replace("Account ending ", "");
      const from = rows.filter((row) => row.label === label);
      assert.ok(
        from.some((row) => row.value.replaceAll(" ", "").endsWith(ending)),
        fact,
      );
    } else {
      const labels = [label, otherLabels[label]];
      const own = rows.filter((row) => labels.includes(row.label));
      const isPart = own.some((row) => row.value.includes(plain(value)));
      const isWhole = own.some((row) => row.value === plain(value));
      // a payee stands with its number, and a fingerprint with its purpose
      const isLonger = ["To", "Payee’s account", "Payments", "File fingerprint"].includes(label);
      assert.ok(isLonger ? isPart : isWhole, fact);
    }
  }
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await callChannel(opened.bank.managementUrl, token, { method, path, body });
  const answer = await response.text();
  assert.ok(response.ok, answer);
  return JSON.parse(answer) as T;
}

for (const [name, { login, account, scope = "payments", ...one }] of Object.entries(cases)) {
  test(`CB-04, CB-27: what the app shows is on each page that asks for it: ${name}`, async () => {
    const { bank, client, customers } = opened;
    const person = (await bank.customers()).find((each) => each.login === login);
    const { accounts } = present(person, login);
    const persona = bank.sandbox?.personas.find((each) => each.login === login);
    const { customerId } = present(persona, login);
    const { accountId, schemeName, identification } = present(
      accounts.find((each) => each.accountSubType === "CurrentAccount" && account(each)),
      "an account",
    );
    const DebtorAccount = { SchemeName: schemeName, Identification: identification };
    const consentId = await one.lodge(one.isNamed ? { DebtorAccount } : undefined);
    const authorizationUrl = await client.authorizationUrl({ scope, consentId });
    type Begun = { journey: Journey };
    const begun = await call<Begun>("POST", "/journeys", { authorizationUrl });
    const { facts } = begun.journey;
    assert.ok(facts.length > 1);

    const customer = await customers.arrive({ javaScriptEnabled: false });
    await customer.open(await client.authorizationUrl({ scope, consentId }));
    await customer.login(login);
    await assertShows(customer, facts, "the code page");
    await customer.goOnToApproval([accountId]);
    await assertShows(customer, facts, "the page to approve");
    if (one.stepsUp) {
      await customer.press("approve");
      assert.equal(await customer.shown(), "factor", await customer.text());
      await assertShows(customer, facts, "the page of a further code");
    }
    await customer.leave();
    if (scope !== "payments") return;

    const { journeyId, shownHash } = begun.journey;
    const { journey } = await call<Begun>("POST", `/journeys/${journeyId}/decision`, {
      ...{ decision: "approve", customerId, accountIds: [accountId], shownHash },
      authentication: { amr: ["hwk", "face"], at: bank.clock.now().toString() },
    });
    const { rows } = journey.summary;
    for (const { label, value } of journey.facts) {
      const same = rows.filter((row) => row.label === label);
      assert.ok(
        same.every((row) => row.value === value),
        `${label}: ${value}, beside ${JSON.stringify(same)}`,
      );
    }
    assert.deepEqual(journey.facts, facts);
  });
}
