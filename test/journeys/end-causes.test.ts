// Every cause that can end a journey while its customer is on a page, made to happen at each page:
// by the clock, the TPP, the bank's operators, the scheme, and the customer elsewhere.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { momentText } from "#src/pages/wording.ts";
import { pathOf, type TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { commercial, scheme } from "#test/payments/limits/contract-bed.ts";
import { vrpConsent } from "#test/payments/limits/vrp-bed.ts";
import { firmEuros } from "./payees-abroad.ts";
import { lodge, lodgeAccess, quickPayee } from "./payments.ts";

let bank: TestBank;
let client: TppClient;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
});
after(() => bank.close());

type Page = "factor" | "accounts" | "review";
type Request = { scope: Scope; consentId: string; url: string };

/** A kind of request, the customer who gets it, and the pages on which it is shown. */
type Asked = { pages: readonly Page[]; login: string; lodge(): Promise<[Scope, string]> };

// an account for which two people sign needs a review
const payment: Asked = {
  pages: ["factor", "accounts", "review"],
  login: "dev",
  lodge: async () => ["payments", (await lodge(client)).consentId],
};
/** A payment that must be approved by a time which its TPP names. */
const urgent: Asked = {
  ...payment,
  async lodge() {
    const CompletionDateTime = `${bank.clock.now().add({ minutes: 4 })}`;
    const Authorisation = { AuthorisationType: "Any", CompletionDateTime };
    return ["payments", (await lodge(client, { data: { Authorisation } })).consentId];
  },
};
// the code page of a payment whose account is known approves it
const fromNamed: Asked = {
  pages: ["factor"],
  login: "amara",
  async lodge() {
    const account = present((await bank.currentAccounts("amara"))[0], "an account");
    const { schemeName: SchemeName, identification: Identification } = account;
    const initiation = { DebtorAccount: { SchemeName, Identification } };
    return ["payments", (await lodge(client, { initiation })).consentId];
  },
};
const abroad: Asked = {
  pages: ["factor", "accounts", "review"],
  login: "iris",
  lodge: async () => ["payments", (await lodge(client, firmEuros)).consentId],
};
const access: Asked = {
  pages: ["factor", "accounts"],
  login: "amara",
  lodge: async () => ["accounts", await lodgeAccess(client)],
};
const soon: Asked = {
  ...access,
  lodge: async () => {
    const ExpirationDateTime = `${bank.clock.now().add({ minutes: 4 })}`;
    return ["accounts", await lodgeAccess(client, { ExpirationDateTime })];
  },
};
const permission: Asked = {
  pages: ["factor", "accounts"],
  login: "amara",
  async lodge() {
    await setScheme("Active");
    const change = commercial([scheme(1)]);
    const body = vrpConsent((given) => {
      given.Data.Initiation = { CreditorAccount: quickPayee };
      change(given);
    });
    const path = "/v4.0/pisp/domestic-vrp-consents";
    const token = await client.clientToken("payments");
    const lodged = await client.call<Json>({ path, token, body });
    expectStatus(lodged, 201);
    return ["payments", lodged.body.Data.ConsentId];
  },
};

const setScheme = (status: string) =>
  bank.control("PUT", `/tpps/${client.tpp.clientId}/scheme-status`, { status });
const setClient = (status: string) =>
  bank.control("PUT", `/clients/${client.tpp.clientId}/status`, { status });

/** Sets the status of the TPP's organisation in the directory, which the bank then reads. */
async function setOrganisation(organisationStatus: string): Promise<void> {
  const { clientId, softwareId } = client.tpp;
  await bank.control("PUT", `/directory/software/${softwareId}`, { organisationStatus });
  const checked = await bank.control("POST", `/clients/${clientId}/status-checks`, {});
  assert.deepEqual(checked, { failure: null });
}

/** What makes a journey end, and what its page says then. */
type Cause = {
  asked: Asked;
  /** How long the request has waited when the customer opens it. */
  waits?: string;
  happens(request: Request): Promise<unknown>;
  /** Undoes what would end the next journey too. */
  undo?(): Promise<unknown>;
  title: string;
  /** Sentences of the page; a note of the clock stands in place of the cause. */
  says: readonly (string | RegExp)[];
  /** Whether the page names the sandbox's clock. */
  namesClock?: true;
  /** Whether nothing leads back to the TPP. */
  isStuck?: true;
};

const byClock = { namesClock: true, says: [/clock was set forward from .*, so it ended/] } as const;

/** Opens a request in another browser, and goes to its code page. */
async function elsewhere({ url }: Request, login: string): Promise<Visitor> {
  const visitor = new Visitor(bank);
  await visitor.open(url);
  await visitor.submit({ login, password: `${login}-sandbox`, decision: "continue" });
  return visitor;
}

const causes: Readonly<Record<string, Cause>> = {
  "the hour of a payment's consent ends": {
    asked: payment,
    waits: "PT57M",
    happens: () => bank.advance("PT4M"),
    title: "This request has expired",
    ...byClock,
    says: [...byClock.says, "Nothing was paid."],
  },
  "the expiry of an access consent comes": {
    asked: soon,
    happens: () => bank.advance("PT4M30S"),
    title: "This request has expired",
    ...byClock,
    says: [...byClock.says, "Nothing was shared."],
  },
  "the fixed exchange rate ends": {
    asked: abroad,
    waits: "PT13M",
    happens: () => bank.advance("PT3M"),
    title: "It is too late to approve this request",
    ...byClock,
    says: [...byClock.says, "Nothing was paid."],
  },
  "the time that the TPP gave for the approval ends": {
    asked: urgent,
    happens: () => bank.advance("PT4M30S"),
    title: "It is too late to approve this request",
    ...byClock,
    says: [...byClock.says, "Nothing was paid."],
  },
  "the page's own time runs out": {
    asked: access,
    happens: () => bank.advance("PT20M"),
    title: "Your time has run out",
    ...byClock,
  },
  "the TPP's membership of the scheme is revoked": {
    asked: permission,
    happens: () => setScheme("Revoked"),
    title: "can no longer ask for this",
    says: ["The agreement under which", "No payments were allowed, and nothing was paid."],
  },
  "the bank suspends the TPP": {
    asked: payment,
    happens: () => setClient("suspended"),
    undo: () => setClient("active"),
    title: "We do not accept requests from",
    says: ["this request has ended", "Nothing was paid."],
    isStuck: true,
  },
  "the bank removes the TPP": {
    asked: payment,
    happens: () => setClient("removed"),
    undo: async () => {
      client = await bank.createTpp();
    },
    title: "We do not accept requests from",
    says: ["this request has ended", "Nothing was paid."],
    isStuck: true,
  },
  "the TPP's organisation loses its status in the directory": {
    asked: payment,
    happens: () => setOrganisation("Revoked"),
    undo: () => setOrganisation("Active"),
    title: "We do not accept requests from",
    says: ["this request has ended", "Nothing was paid."],
    isStuck: true,
  },
  "the TPP withdraws an access consent": {
    asked: access,
    async happens({ consentId }) {
      const path = `${pathOf(aispV31)}/account-access-consents/${consentId}`;
      const token = await client.clientToken("accounts");
      expectStatus(await client.call({ path, method: "DELETE", token }), 204);
    },
    title: "has withdrawn this request",
    says: ["Nothing was shared."],
  },
  "the customer cancels on another device": {
    asked: payment,
    happens: async (request) => (await elsewhere(request, "dev")).submit({ decision: "cancel" }),
    title: "This request is closed",
    says: ["It was cancelled on another device or in another tab.", "Nothing was paid."],
  },
  "another customer tries it on another device, whose account it is not": {
    asked: fromNamed,
    happens: async (request) => (await elsewhere(request, "chloe")).confirm(),
    title: "This request is closed",
    says: ["the account that it names could not be used there", "Nothing was paid."],
  },
  "the bank's core refuses it on another device": {
    asked: fromNamed,
    async happens(request) {
      const customerText = "You can pay at most £10 a day in this way.";
      const reason = { code: "AM14", text: "Over the limit." } as const;
      const { assess } = bank.bank;
      const refuse = async () => ({ result: "refuse", customerText, reason });
      Object.assign(bank.bank, { assess: refuse });
      const other = await elsewhere(request, "amara");
      await other.confirm();
      Object.assign(bank.bank, { assess });
      assert.ok(other.shown.body.includes(customerText), other.shown.body);
    },
    title: "This request is closed",
    says: ["It can no longer be approved here.", "Nothing was paid."],
  },
  "too many wrong codes are entered on another device": {
    asked: access,
    async happens(request) {
      const other = await elsewhere(request, "chloe");
      while (other.step === "factor") await other.submit({ code: "000000", decision: other.go });
    },
    title: "This request is closed",
    says: ["because we could not be sure who was there", "Nothing was shared."],
  },
};

/** Goes to a page of the journey. */
async function reach(visitor: Visitor, { login }: Asked, page: Page): Promise<string> {
  await visitor.submit({ login, password: `${login}-sandbox`, decision: "continue" });
  if (page !== "factor") await visitor.confirm();
  const account = await accountFor(login);
  if (page === "review") await visitor.submit({ account, decision: "continue" });
  assert.equal(visitor.step, page, visitor.shown.body);
  return account;
}

async function accountFor(login: string): Promise<string> {
  const all = (await bank.customers()).find((one) => one.login === login)?.accounts ?? [];
  const isIts = ({ currency, signatoriesRequired }: (typeof all)[number]) =>
    currency === "GBP" && signatoriesRequired === (login === "dev" ? 2 : 1);
  return present(all.find(isIts), "an account").accountId;
}

const headingOf = ({ shown }: Visitor) => /<h1[^>]*>([^<]*)/.exec(shown.body)?.[1] ?? "";

for (const [name, cause] of Object.entries(causes)) {
  for (const page of cause.asked.pages) {
    test(`if ${name} at the page ${page}, the journey's end says so`, async () => {
      const { asked, waits, happens, undo, title, says } = cause;
      const [scope, consentId] = await asked.lodge();
      if (waits) await bank.advance(waits);
      const url = await client.authorizationUrl({ scope, consentId });
      const visitor = new Visitor(bank);
      await visitor.open(url);
      const account = await reach(visitor, asked, page);
      await happens({ scope, consentId, url });
      try {
        if (page === "factor") await visitor.confirm();
        else await visitor.submit({ account, decision: visitor.go });
        assert.ok(headingOf(visitor).includes(title), headingOf(visitor));
        const text = visitor.shown.body.replaceAll(/\s+/g, " ");
        for (const each of says) {
          if (typeof each === "string") assert.ok(text.includes(each), `${each} in ${text}`);
          else assert.match(text, each);
        }
        assert.equal(/clock was set/.test(text), cause.namesClock ?? false, text);
        assert.equal(visitor.step === "returning", !cause.isStuck, text);
      } finally {
        await undo?.();
      }
    });
  }
}

test("a page says until when it can be used: no longer than the consent or a fixed rate allows", async () => {
  const until = (visitor: Visitor) =>
    /You have until ([^<]*?) for this page/.exec(visitor.shown.body.replaceAll(/\s+/g, " "))?.[1];
  for (const [asked, waits, end] of [
    [payment, "PT57M", { minutes: 60 }],
    [soon, "PT1S", { minutes: 4 }],
    [abroad, "PT10M", { minutes: 15 }],
  ] as const) {
    const [scope, consentId] = await asked.lodge();
    const lodged = bank.clock.now();
    await bank.advance(waits);
    const visitor = new Visitor(bank);
    await visitor.open(await client.authorizationUrl({ scope, consentId }));
    const now = bank.clock.now();
    // the consent was lodged some seconds before
    const ends = [0, 60].map((seconds) => momentText(lodged.add(end).subtract({ seconds }), now));
    for (const page of ["login", "factor"]) {
      assert.equal(visitor.step, page);
      assert.ok(ends.includes(until(visitor) ?? ""), `${until(visitor)}, not ${ends}`);
      assert.doesNotMatch(visitor.shown.body, /value="extend"/);
      const { login } = asked;
      await visitor.submit({ login, password: `${login}-sandbox`, decision: "continue" });
    }
  }
});

test("a customer whose TPP is stopped after the approval is told so on the way back", async () => {
  const [scope, consentId] = await access.lodge();
  const visitor = new Visitor(bank);
  await visitor.open(await client.authorizationUrl({ scope, consentId }));
  const account = await reach(visitor, access, "accounts");
  await visitor.submit({ account, decision: "approve" });
  assert.match(headingOf(visitor), /Approved/);
  const ending = visitor.shown;
  await setClient("suspended");
  try {
    await visitor.goBack();
    assert.match(headingOf(visitor), /We cannot take you back/);
    assert.doesNotMatch(visitor.shown.body, /answered already|clock was set/);
    await visitor.open(ending.url);
    assert.match(visitor.shown.body, /Approved/);
    assert.match(visitor.shown.body, /so it cannot use this/);
  } finally {
    await setClient("active");
  }
});

test("a move of the clock during a journey is not named if the consent ended after it", async () => {
  const [scope, consentId] = await access.lodge();
  const visitor = new Visitor(bank);
  await visitor.open(await client.authorizationUrl({ scope, consentId }));
  await reach(visitor, access, "factor");
  await bank.advance("PT1M");
  await setConsent(bank.database, consentId, { expiresAt: bank.clock.now() });
  await visitor.confirm();
  assert.match(headingOf(visitor), /This request has expired/);
  assert.match(visitor.shown.body, /A request can be approved only for a limited time\./);
  assert.doesNotMatch(visitor.shown.body, /clock was set/);
});
