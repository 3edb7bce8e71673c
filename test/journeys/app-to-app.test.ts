import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { consentStatus, readAuthorisations } from "#test/consents/stored-rows.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { runCommand } from "#test/server/run-command.ts";
import { callChannel } from "./call-channel.ts";
import { nextMonday } from "./next-monday.ts";
import { lodge, lodgeAccess, quickPayee } from "./payments.ts";

// The bank's app drives the journey: a phone opens the authorization URL in the app, not in the
// browser. Here a script is the app.

const token = "a-token-of-the-banks-own-channels";
let bank: TestBank;
let client: TppClient;
let customerId: string;
before(async () => {
  bank = await openBank({ APP_TOKEN: token });
  client = await bank.createTpp();
  const customer = bank.sandbox?.personas.find(({ login }) => login === "dev");
  customerId = present(customer, "the customer").customerId;
});
after(() => bank?.close());

type Journey = {
  journeyId: string;
  outcome: string | null;
  stepUp: string | null;
  ending: { title: string; text: string } | null;
  facts: { label: string; value: string }[];
  summary: { rows: { label: string; value: string }[] };
  shown: object;
  shownHash: string;
  clientName: string;
};
type Answer = { journey: Journey | null; redirectTo: string | null; message?: string };
type Accounts = { accounts: { accountId: string; unavailable: string | null }[] };

/** Calls the bank as the app's server does. */
async function call<T = Answer>(method: string, path: string, body?: object) {
  const response = await callChannel(bank.managementUrl, token, { method, path, body });
  return { status: response.status, body: (await response.json()) as T };
}

async function begin(overrides: Record<string, unknown> = {}) {
  const consentId = await lodgeAccess(client);
  const request = { scope: "accounts", consentId, overrides } as const;
  const authorizationUrl = await client.authorizationUrl(request);
  const answer = await call("POST", "/journeys", { authorizationUrl });
  return { consentId, authorizationUrl, ...answer };
}

const approving = (journey: Journey, accountIds: string[]) => ({
  decision: "approve",
  customerId,
  accountIds,
  shownHash: journey.shownHash,
  authentication: { amr: ["hwk", "face"], at: bank.clock.now().toString() },
});

async function openAccounts({ journeyId }: Journey): Promise<string[]> {
  const path = `/journeys/${journeyId}/accounts?customerId=${customerId}`;
  const { status, body } = await call<Accounts>("GET", path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.accounts.filter((one) => one.unavailable === null).map((one) => one.accountId);
}

test("the app's token reads the document of the calls, and a wrong token does not", async () => {
  const { status, body } = await call<{ paths: object }>("GET", "/openapi.json");
  assert.equal(status, 200);
  assert.ok("/journeys/{journeyId}/decision" in body.paths);
  const wrong = await fetch(`${bank.managementUrl}/channels/v1/openapi.json`, {
    headers: { authorization: "Bearer wrong" },
  });
  assert.equal(wrong.status, 401);
  assert.match(await wrong.text(), /the value of CHANNELS_TOKEN or APP_TOKEN/);
});

test("the sandbox lists the customerId that the app sends", async () => {
  const { printed } = await runCommand("customers list", {
    PUBLIC_URL: bank.publicUrl,
    PUBLIC_PORT: new URL(bank.publicUrl).port,
    MTLS_PORT: new URL(bank.mtlsUrl).port,
  });
  assert.match(printed, new RegExp(`^dev  .*  ${customerId}  `, "m"));
});

test("CB-27: the app's facts about an international payment are those of the review, and name the account that the TPP named", async () => {
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  const accounts = await bank.currentAccounts("iris");
  const pounds = present(
    accounts.find(({ currency }) => currency === "GBP"),
    "an account in pounds",
  );
  const { consentId } = await lodge(client, {
    kind: "international-payment",
    payee: { SchemeName: "UK.OBIE.BBAN", Identification: "000099000001", Name: "Bright Harbor" },
    initiation: {
      CurrencyOfTransfer: "USD",
      InstructedAmount: { Amount: "250.00", Currency: "USD" },
      CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33" },
      ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" },
      DebtorAccount: { SchemeName: pounds.schemeName, Identification: pounds.identification },
    },
  });
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  const { body } = await call("POST", "/journeys", { authorizationUrl });
  const journey = present(body.journey, "the journey");
  const persona = bank.sandbox?.personas.find(({ login }) => login === "iris");
  const decided = await call("POST", `/journeys/${journey.journeyId}/decision`, {
    ...approving(journey, [pounds.accountId]),
    customerId: present(persona, "iris").customerId,
  });
  const review = present(decided.body.journey, JSON.stringify(decided.body));
  assert.equal(review.outcome, null);
  assert.deepEqual(review.facts, journey.facts);
  const parties = ["Pay", "To", "Payee’s account", "From"];
  const details = journey.facts.filter(({ label }) => !parties.includes(label));
  assert.ok(details.length >= 5, JSON.stringify(details));
  for (const { label, value } of details) {
    const shown = review.summary.rows.filter((row) => row.label === label);
    assert.deepEqual([...new Set(shown.map((row) => row.value))], [value], label);
  }
  const facts = new Map(body.journey?.facts.map(({ label, value }) => [label, value]));
  assert.equal(facts.get("From"), `Account ending ${pounds.identification.slice(-4)}`);
  assert.equal(facts.get("Payee’s bank"), "BIC NONEUS33");
  assert.equal(facts.get("Payee’s bank in"), "United States");
  assert.match(facts.get("Exchange rate") ?? "", /^1 GBP = \d\.\d+ USD, fixed until /);
  assert.match(facts.get("Bank charges") ?? "", /^£10\.00: you pay ours/);
  assert.match(facts.get("Taken from your account") ?? "", /^£\d+\.\d\d$/);
});

test("CB-20, CB-22, CB-28, CB-29: the app shows the facts, approves with its evidence, and goes on to the TPP with a code", async () => {
  const { consentId, status, body } = await begin();
  assert.equal(status, 201, JSON.stringify(body));
  const journey = present(body.journey, "the journey");
  assert.equal(sha256(canonicalJson(journey.shown)), journey.shownHash);
  assert.ok(journey.facts.some(({ value }) => value === journey.clientName));
  const accountIds = (await openAccounts(journey)).slice(0, 1);
  const path = `/journeys/${journey.journeyId}/decision`;
  const decided = await call("POST", path, approving(journey, accountIds));
  assert.equal(decided.status, 200, JSON.stringify(decided.body));
  assert.equal(decided.body.journey?.outcome, "approved");
  const redirectTo = present(decided.body.redirectTo, "the redirect");
  assert.ok(redirectTo.startsWith(`${client.tpp.redirectUris[0]}#`), redirectTo);
  const grant = await client.exchangeCode(redirectTo);
  assert.ok(grant.access_token);
  const [given] = await readAuthorisations(bank.database, consentId);
  assert.equal(given?.method, "app");
  assert.deepEqual(given?.amr, ["hwk", "face", "mfa"]);
  assert.equal(given?.showings[0]?.shownHash, journey.shownHash);
  const again = await call("POST", path, approving(journey, accountIds));
  assert.equal(again.body.journey?.outcome, "approved", "the answer was lost, so it is repeated");
  assert.equal(again.body.redirectTo, null, "the TPP gets one code");
  assert.equal((await readAuthorisations(bank.database, consentId)).length, 1);
});

test("a customer who cancels in the app goes back to the TPP with access_denied", async () => {
  const { consentId, body } = await begin();
  const path = `/journeys/${body.journey?.journeyId}/decision`;
  const decided = await call("POST", path, { decision: "cancel" });
  assert.equal(decided.body.journey?.outcome, "cancelled");
  assert.match(decided.body.redirectTo ?? "", /error=access_denied/);
  assert.equal(await consentStatus(bank.database, consentId), "RJCT");
});

test("CB-28: an approval of something else, without evidence, or of no account is refused and changes nothing", async () => {
  const { consentId, body } = await begin();
  const journey = present(body.journey, "the journey");
  const right = approving(journey, await openAccounts(journey));
  const path = `/journeys/${journey.journeyId}/decision`;
  const { authentication: _, ...unproved } = right;
  for (const [wrong, says] of [
    [{ ...right, shownHash: "x" }, /shownHash/],
    [unproved, /authentication/],
    [{ ...right, customerId: "nobody" }, /customerId/],
  ] as const) {
    const answer = await call("POST", path, wrong);
    assert.equal(answer.status, 409, JSON.stringify(answer.body));
    assert.match(answer.body.message ?? "", says);
  }
  assert.equal(await consentStatus(bank.database, consentId), "AWAU");
  assert.equal((await call("POST", path, { ...right, accountIds: ["none"] })).status, 409);
  assert.equal(await consentStatus(bank.database, consentId), "AWAU");
});

test("a decision after the end of the journey changes nothing, and its answer says how it ended", async () => {
  const { consentId, body } = await begin();
  const journey = present(body.journey, "the journey");
  const right = approving(journey, await openAccounts(journey));
  const path = `/journeys/${journey.journeyId}/decision`;
  await bank.advance("PT16M");
  const late = await call("POST", path, right);
  assert.equal(late.status, 200, JSON.stringify(late.body));
  assert.equal(late.body.journey?.outcome, "timed_out");
  assert.ok(late.body.journey?.ending?.title);
  assert.match(late.body.redirectTo ?? "", /error=access_denied/);
  assert.equal(await consentStatus(bank.database, consentId), "RJCT");
});

test("an approval in the app needs factors of two kinds", async () => {
  const { consentId, body } = await begin();
  const journey = present(body.journey, "the journey");
  const right = approving(journey, await openAccounts(journey));
  const path = `/journeys/${journey.journeyId}/decision`;
  const { at } = right.authentication;
  for (const amr of [["pin"], ["hwk"], ["pwd", "pin"], ["face", "fpt"], ["mfa"], ["geo", "hwk"]]) {
    const answer = await call("POST", path, { ...right, authentication: { amr, at } });
    assert.equal(answer.status, 409, amr.join());
    assert.match(answer.body.message ?? "", /factors of two kinds/);
  }
  assert.equal(await consentStatus(bank.database, consentId), "AWAU");
  const authentication = { amr: ["pin", "swk"], at };
  const decided = await call("POST", path, { ...right, authentication });
  assert.equal(decided.body.journey?.outcome, "approved", JSON.stringify(decided.body));
});

test("CB-28: an approval must be of this journey and not of the future, and its time must have an offset", async () => {
  const { consentId, body } = await begin();
  const journey = present(body.journey, "the journey");
  const right = approving(journey, await openAccounts(journey));
  const path = `/journeys/${journey.journeyId}/decision`;
  const early = bank.clock.now().subtract({ minutes: 1 }).toString();
  const ahead = bank.clock.now().add({ minutes: 1 }).toString();
  for (const [at, status, says] of [
    ["2026-11-29", 400, /authentication.at/],
    ["2026-11-29T10:15:00", 400, /authentication.at/],
    ["2026-02-30T10:15:00Z", 400, /authentication.at/],
    ["yesterday", 400, /authentication.at/],
    [early, 409, /before the journey began/],
    [ahead, 409, /in the future/],
  ] as const) {
    const answer = await call("POST", path, {
      ...right,
      authentication: { amr: ["hwk", "pin"], at },
    });
    assert.equal(answer.status, status, `${at}: ${JSON.stringify(answer.body)}`);
    assert.match(JSON.stringify(answer.body), says);
  }
  assert.equal(await consentStatus(bank.database, consentId), "AWAU");
});

test("the review in the app is decided by the same customer, for the accounts that were chosen", async () => {
  // a payee whose name differs needs a warning, and so a second decision
  const payee = { ...quickPayee, Name: "Somebody Else" };
  const { consentId } = await lodge(client, { payee });
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  const begun = await call("POST", "/journeys", { authorizationUrl });
  const journey = present(begun.body.journey, "the journey");
  const [first = "", second = ""] = await openAccounts(journey);
  const path = `/journeys/${journey.journeyId}/decision`;
  const reviewed = await call("POST", path, approving(journey, [first]));
  const review = present(reviewed.body.journey, JSON.stringify(reviewed.body));
  assert.equal(review.outcome, null);
  assert.notEqual(review.shownHash, journey.shownHash);
  const right = approving(review, [first]);
  for (const [wrong, says] of [
    [{ ...right, customerId: "somebody" }, /customerId/],
    [{ ...right, accountIds: [second] }, /accountIds/],
    [{ ...right, accountIds: [first, second] }, /accountIds/],
  ] as const) {
    const answer = await call("POST", path, wrong);
    assert.equal(answer.status, 409, JSON.stringify(answer.body));
    assert.match(answer.body.message ?? "", says);
  }
  assert.equal(await consentStatus(bank.database, consentId), "AWAU");
  const decided = await call("POST", path, right);
  assert.equal(decided.body.journey?.outcome, "approved", JSON.stringify(decided.body));
});

/** Approves a payment, and the review of its account, until the core asks once more. */
async function toStepUp() {
  // the scenario of the reference
  const payee = { ...quickPayee, Identification: "00981120775630", Name: "Ashdown Homes" };
  const initiation = { RemittanceInformation: { Unstructured: ["OUTCOME 35"] } };
  const { consentId } = await lodge(client, { payee, initiation });
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  const begun = await call("POST", "/journeys", { authorizationUrl });
  const journey = present(begun.body.journey, "the journey");
  assert.equal(journey.stepUp, null);
  const [accountId = ""] = await openAccounts(journey);
  const path = `/journeys/${journey.journeyId}/decision`;
  // the account needs two signatories, so it adds a review
  const first = approving(journey, [accountId]);
  const reviewed = await call("POST", path, first);
  const review = present(reviewed.body.journey, JSON.stringify(reviewed.body));
  assert.equal(review.stepUp, null);
  const { status, body } = await call("POST", path, approving(review, [accountId]));
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.redirectTo, null);
  const asked = present(body.journey, "the journey");
  assert.equal(asked.outcome, null);
  assert.match(asked.stepUp ?? "", /This payment is unusual/);
  return { consentId, path, accountId, review, first, asked };
}

test("a core that wants one more confirmation gets another authentication in the app", async () => {
  const { consentId, path, accountId, review, first, asked } = await toStepUp();
  assert.notEqual(asked.shownHash, review.shownHash);
  assert.equal(sha256(canonicalJson(asked.shown)), asked.shownHash);
  const right = approving(asked, [accountId]);
  const { authentication } = right;
  for (const [wrong, says] of [
    [{ ...right, shownHash: review.shownHash }, /shownHash/],
    [{ ...right, authentication: { ...authentication, at: first.authentication.at } }, /once more/],
    [{ ...right, authentication: { ...authentication, amr: ["hwk"] } }, /two kinds/],
    [{ ...right, customerId: "somebody" }, /customerId/],
    [{ ...right, accountIds: ["another"] }, /accountIds/],
  ] as const) {
    const answer = await call("POST", path, wrong);
    assert.equal(answer.status, 409, JSON.stringify(answer.body));
    assert.match(answer.body.message ?? "", says);
    assert.equal(await consentStatus(bank.database, consentId), "AWAU");
  }
  const again = { ...right, authentication: { ...authentication, amr: ["swk", "pin"] } };
  const decided = await call("POST", path, again);
  assert.equal(decided.body.journey?.outcome, "approved", JSON.stringify(decided.body));
  assert.ok((await client.exchangeCode(present(decided.body.redirectTo, "the redirect"))).id_token);
  const [given] = await readAuthorisations(bank.database, consentId);
  assert.deepEqual(given?.amr, ["hwk", "face", "mfa", "swk", "pin"]);
  assert.equal(given?.method, "app");
});

test("a customer can cancel in the app when the core wants one more confirmation", async () => {
  const { consentId, path, first } = await toStepUp();
  const { customerId } = first;
  for (const other of [{}, { customerId: "another" }]) {
    const refused = await call("POST", path, { decision: "cancel", ...other });
    assert.equal(refused.status, 409, JSON.stringify(refused.body));
  }
  const decided = await call("POST", path, { decision: "cancel", customerId });
  assert.equal(decided.body.journey?.outcome, "cancelled");
  assert.match(decided.body.redirectTo ?? "", /error=access_denied/);
  assert.equal(await consentStatus(bank.database, consentId), "RJCT");
});

test("CB-26: the app gets the refusal of a wrong request as a browser does", async () => {
  const elsewhere = await call("POST", "/journeys", { authorizationUrl: "https://x.example/auth" });
  assert.equal(elsewhere.status, 400);
  const { status, body } = await begin({ scope: "openid payments" });
  assert.equal(status, 201);
  assert.equal(body.journey, null);
  assert.match(body.redirectTo ?? "", /error=invalid_request/);
});

test("CB-30: an app cannot take over the journey of a browser by its id, nor a browser that of an app", async () => {
  const { authorizationUrl, body } = await begin();
  const page = await fetch(authorizationUrl, { redirect: "manual" });
  const uid = page.headers.get("location")?.split("/").at(-1);
  assert.equal((await call("GET", `/journeys/${uid}`)).status, 404);
  const path = `/journeys/${uid}/decision`;
  assert.equal((await call("POST", path, { decision: "cancel" })).status, 404);
  const stranger = await fetch(`${bank.publicUrl}/journey/${body.journey?.journeyId}`);
  assert.equal(stranger.status, 400);
});

test("the app can ask about a challenge with a long id, and learns that nothing waits under it", async () => {
  const { status, body } = await call("GET", `/challenges/${"c".repeat(300)}`);
  assert.equal(status, 404);
  assert.match(body.message ?? "", /Nothing waits for an answer under this id/);
});
