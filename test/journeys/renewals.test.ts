// What a customer reads who gives a permission again while the earlier one is in force: for each
// kind of consent that can be renewed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { CardIssuer, named } from "#test/funds/card-issuer.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { kindSample } from "./kind-sample.ts";
import { logIn } from "./log-in.ts";
import { lodgeAccess, type Resource } from "./payments.ts";

let bank: TestBank;
let client: TppClient;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
});
after(() => bank?.close());

async function lodgeVrp(tpp: TppClient, debtor = {}): Promise<string> {
  const { consent } = kindSample(bank, kindNamed("domestic-vrp", paymentKinds));
  Object.assign(consent.Data.Initiation, debtor);
  const lodged = await tpp.call<Resource>({
    path: "/v4.0/pisp/domestic-vrp-consents",
    token: await tpp.clientToken("payments"),
    body: consent,
  });
  expectStatus(lodged, 201);
  return String(lodged.body.Data.ConsentId);
}

async function lodgeFunds(tpp: TppClient, customer: string): Promise<string> {
  const [everyday] = await bank.currentAccounts(customer);
  const issuer = new CardIssuer(bank, tpp, "/v4.0/cbpii");
  return issuer.consentId(named(everyday?.identification ?? null));
}

type Renewable = {
  scope: Scope;
  lodge(tpp: TppClient, customer: string): Promise<string>;
  /** What the pages say, in this order. */
  says: readonly RegExp[];
  /** Its page, and what the bank says when one of two is stopped, and then the other. */
  own: string;
  stops: readonly [asked: RegExp, first: RegExp, second: RegExp];
};

const kinds: Record<string, Renewable> = {
  "account access": {
    scope: "accounts",
    lodge: (tpp) => lodgeAccess(tpp),
    says: [
      /Continue sharing with Test TPP .*You share information about your accounts with Test TPP/,
      /Sharing continues You continue to allow Test TPP to see information/,
    ],
    own: "connections",
    stops: [
      /no longer see your accounts through this access\. .* has another connection to your acc/,
      /This access of Test TPP has been stopped\. Test TPP still has another connection to your/,
      /This access of Test TPP has been stopped\. (?!Test TPP still)/,
    ],
  },
  "a payment permission": {
    scope: "payments",
    lodge: (tpp) => lodgeVrp(tpp),
    says: [
      /Continue to allow payments by Test TPP .*You allow payments by Test TPP\. To continue/,
      /Your permission continues You continue to allow Test TPP to make payments/,
    ],
    own: "permissions",
    stops: [
      /no more payments under this permission\. Test TPP still has another permission for paym/,
      /under this permission\. Payments already made are not changed\. Test TPP still has another/,
      /under this permission\. Payments already made are not changed\. (?!Test TPP still)/,
    ],
  },
  "funds checks": {
    scope: "fundsconfirmations",
    lodge: lodgeFunds,
    says: [
      /Continue to allow checks by Test TPP .*You allow checks by Test TPP\. To continue, enter/,
      /What Test TPP can ask/,
      /Continue to allow checks Cancel/,
      /Your permission continues You continue to allow Test TPP to check whether/,
    ],
    own: "connections",
    stops: [
      /answer Test TPP under this permission for checks\. Test TPP still has another permission/,
      /Under this permission, Test TPP can no longer check .* still has another permission for ch/,
      /Under this permission, Test TPP can no longer check whether .* money\. (?!Test TPP still)/,
    ],
  },
};

const text = (html: string): string =>
  html
    .replaceAll(/<(title|head)\b.*?<\/\1>/gs, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(" .", ".");

async function toCode(login: string, scope: Scope, consentId: string): Promise<Visitor> {
  const visitor = new Visitor(bank);
  await visitor.open(await client.authorizationUrl({ scope, consentId }));
  await visitor.submit({ login, password: `${login}-sandbox`, decision: "continue" });
  return visitor;
}

/** Approves a consent in a browser. Returns the texts of the pages after the login. */
async function approve(scope: Scope, consentId: string): Promise<string[]> {
  const visitor = await toCode("amara", scope, consentId);
  const pages = [text(visitor.shown.body)];
  await visitor.confirm();
  pages.push(text(visitor.shown.body));
  if (visitor.canApprove) {
    await visitor.submit({ decision: "approve" });
    pages.push(text(visitor.shown.body));
  }
  return pages;
}

for (const [name, { scope, lodge, says }] of Object.entries(kinds)) {
  test(`no page says of renewed ${name} that nothing is allowed`, async () => {
    const consentId = await lodge(client, "amara");
    await bank.approve(client, { scope, consentId, customer: "amara" });
    const pages = await approve(scope, consentId);
    const all = pages.join("\n");
    assert.doesNotMatch(all, /Nothing (is|was) |will be able to|asks (to|you)/);
    for (const said of says) assert.match(all, said);
    assert.match(present(pages.at(-1), "the end"), /continues/);
  });
}

for (const [name, { scope, lodge, own, stops }] of Object.entries(kinds)) {
  test(`the bank says that only one of two consents for ${name} ends`, async () => {
    const another = await bank.createTpp({ name: "Another TPP" });
    const ids: string[] = [];
    for (const tpp of [client, client, another]) {
      const consentId = await lodge(tpp, "ben");
      await bank.approve(tpp, { scope, consentId, customer: "ben" });
      if (tpp === client) ids.push(consentId);
    }
    const visitor = await logIn(bank, "ben");
    const said: string[] = [];
    for (const id of ids) {
      await visitor.open(`${bank.publicUrl}/bank/${own}/${id}`);
      said.push(text(visitor.shown.body));
      await visitor.submit({ decision: "stop" });
      said.push(text(visitor.shown.body));
    }
    const [asked, first, , second] = said;
    assert.match(asked ?? "", stops[0]);
    assert.match(first ?? "", stops[1]);
    assert.match(second ?? "", stops[2]);
  });
}

const lodged: Record<string, Pick<Renewable, "scope" | "lodge">> = {
  ...kinds,
  "a payment permission for a named account": {
    scope: "payments",
    async lodge(tpp, customer) {
      const [everyday] = await bank.currentAccounts(customer);
      return lodgeVrp(tpp, named(everyday?.identification ?? null));
    },
  },
};

for (const [name, { scope, lodge }] of Object.entries(lodged)) {
  test(`another customer does not read that ${name} was given before`, async () => {
    const consentId = await lodge(client, "amara");
    const untouched = await toCode("ben", scope, await lodge(client, "amara"));
    await bank.approve(client, { scope, consentId, customer: "amara" });
    const visitor = await toCode("ben", scope, consentId);
    const [page, usual] = [visitor, untouched].map(({ shown }) =>
      text(shown.body).replaceAll(/ \d{6} |until \d\d:\d\d( on \d+ \w+ \d{4})?/g, " … "),
    );
    assert.match(page ?? "", /Security code/);
    assert.equal(page, usual);
    await visitor.confirm();
    assert.match(text(visitor.shown.body), /belongs to another customer/);
  });
}
