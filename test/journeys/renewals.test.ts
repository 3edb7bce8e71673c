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
import { lodgeAccess, type Resource } from "./payments.ts";

let bank: TestBank;
let client: TppClient;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
});
after(() => bank?.close());

async function lodgeVrp(): Promise<string> {
  const { consent } = kindSample(bank, kindNamed("domestic-vrp", paymentKinds));
  const lodged = await client.call<Resource>({
    path: "/v4.0/pisp/domestic-vrp-consents",
    token: await client.clientToken("payments"),
    body: consent,
  });
  expectStatus(lodged, 201);
  return String(lodged.body.Data.ConsentId);
}

async function lodgeFunds(): Promise<string> {
  const [everyday] = await bank.currentAccounts("amara");
  const issuer = new CardIssuer(bank, client, "/v4.0/cbpii");
  return issuer.consentId(named(everyday?.identification ?? null));
}

type Renewable = {
  scope: Scope;
  lodge(): Promise<string>;
  /** What the pages say, in this order. */
  says: readonly RegExp[];
};

const kinds: Record<string, Renewable> = {
  "account access": {
    scope: "accounts",
    lodge: () => lodgeAccess(client),
    says: [
      /Continue sharing with Test TPP .*You share information about your accounts with Test TPP/,
      /Sharing continues You continue to allow Test TPP to see information/,
    ],
  },
  "a payment permission": {
    scope: "payments",
    lodge: lodgeVrp,
    says: [
      /Continue to allow payments by Test TPP .*You allow payments by Test TPP\. To continue/,
      /Your permission continues You continue to allow Test TPP to make payments/,
    ],
  },
  "funds checks": {
    scope: "fundsconfirmations",
    lodge: lodgeFunds,
    says: [
      /You gave this permission before, and nothing changes until you approve\. Next, you check/,
      /Continue to allow checks by Test TPP You allow checks by Test TPP\. To continue, check/,
      /What Test TPP can ask/,
      /Continue to allow checks Cancel/,
      /Your permission continues You continue to allow Test TPP to check whether/,
    ],
  },
};

const text = (html: string): string =>
  html
    .replaceAll(/<(title|head)\b.*?<\/\1>/gs, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(" .", ".");

/** Approves a consent in a browser. Returns the texts of the pages after the login. */
async function approve(scope: Scope, consentId: string): Promise<string[]> {
  const visitor = new Visitor(bank);
  await visitor.open(await client.authorizationUrl({ scope, consentId }));
  await visitor.submit({ login: "amara", password: "amara-sandbox", decision: "continue" });
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
    const consentId = await lodge();
    await bank.approve(client, { scope, consentId, customer: "amara" });
    const pages = await approve(scope, consentId);
    const all = pages.join("\n");
    assert.doesNotMatch(all, /Nothing (is|was) |will be able to|asks (to|you)/);
    for (const said of says) assert.match(all, said);
    assert.match(present(pages.at(-1), "the end"), /continues/);
  });
}
