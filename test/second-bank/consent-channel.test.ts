import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChannelConsent, WholeConsent } from "#src/channels/consent-channel.ts";
import { present } from "#src/lib/assert.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { callChannel } from "#test/journeys/call-channel.ts";
import { lodgeAccess, readConsent } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";
import { agreeWithinLimits } from "./restorable-bank.ts";
import {
  approved,
  openOver,
  type SecondBank,
  startSecondBank,
  tellingPath,
} from "./second-bank.ts";

// The bank's app, its call centre and its operators list, read and stop consents.
const token = "a-token-of-the-banks-own-channels";
let second: SecondBank;
let bank: TestBank;
let client: TppClient;
before(async () => {
  second = await startSecondBank();
  bank = await openOver(second, { BANK_MODULE: tellingPath, CHANNELS_TOKEN: token });
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await second?.close();
});

type Answer = { status: number; body: unknown };

/** Calls the interface on the management listener as a channel does. */
async function call(method: string, path: string, body?: object, bearer = token): Promise<Answer> {
  const response = await callChannel(bank.managementUrl, bearer, { method, path, body });
  return { status: response.status, body: await response.json() };
}

async function giveAccess() {
  const consentId = await lodgeAccess(client);
  const accounts = ["second-current"];
  const given = { scope: "accounts", consentId, customer: "ada", accounts } as const;
  const { access_token: accessToken } = await bank.approve(client, given);
  return { consentId, accessToken };
}

const listed = async (): Promise<ChannelConsent[]> => {
  const answer = await call("GET", "/consents?customerId=second-ada");
  assert.equal(answer.status, 200);
  return (answer.body as { consents: ChannelConsent[] }).consents;
};

test("each authorisation has its evidence: who, how, when, and what was shown with its hash", async () => {
  const { lodged } = await approved(bank, client, "4.00");
  const read = await call("GET", `/consents/${lodged.consentId}`);
  const [given] = (read.body as WholeConsent).authorisations;
  assert.equal(given?.customerId, "second-ada");
  assert.equal(given?.method, "code");
  assert.equal(given?.acr, "urn:openbanking:psd2:sca");
  assert.deepEqual(given?.amr, ["pwd", "otp", "mfa"]);
  assert.ok(Temporal.Instant.from(given?.answeredAt ?? ""));
  const [first] = given?.showings ?? [];
  assert.equal((first?.shown as { amount?: string } | undefined)?.amount, "£4.00");
  for (const { shown, shownHash } of given?.showings ?? []) {
    assert.equal(sha256(canonicalJson(shown)), shownHash);
  }
});

const stop = (by: "customer" | "bank") => ({
  by,
  channel: { name: "call centre", actor: "agent-17", reason: "Ada has lost her phone." },
});

test("a customer's consents are listed, the newest first, and each can be read with what the TPP sent", async () => {
  const { consentId } = await giveAccess();
  const { lodged } = await approved(bank, client, "4.00");
  const [payment, access] = await listed();
  assert.equal(payment?.consentId, lodged.consentId);
  assert.equal(payment?.canStop, false, "it is used once");
  const { authorisedAt, ...rest } = present(access, "the consent");
  assert.ok(Temporal.Instant.from(authorisedAt));
  const read = await call("GET", `/consents/${consentId}`);
  assert.equal(read.status, 200);
  const { sent, history, authorisations, attempts, signatures, ...same } =
    read.body as WholeConsent;
  assert.deepEqual([authorisations.length, attempts, signatures], [1, [], []]);
  assert.deepEqual(same, access);
  assert.deepEqual(
    { ...rest, clientName: undefined, permissions: rest.permissions.length },
    {
      consentId,
      kind: "account-access",
      clientId: client.tpp.clientId,
      clientName: undefined,
      customerId: "second-ada",
      status: "AUTH",
      statusText: "Active",
      reasons: [],
      accountIds: ["second-current"],
      permissions: 5,
      expiresAt: null,
      endedAt: null,
      deletedAt: null,
      canStop: true,
    },
  );
  assert.ok(
    (sent as { Data: { Permissions: string[] } }).Data.Permissions.includes("ReadBalances"),
  );
  assert.deepEqual(
    history.map(({ status, by, channel }) => [status, by, channel]),
    [
      ["AWAU", "tpp", null],
      ["AUTH", "customer", null],
    ],
  );
});

test("if a call centre stops a consent for the customer, its token is refused and the core is told", async () => {
  const { consentId, accessToken } = await giveAccess();
  const answer = await call("POST", `/consents/${consentId}/stop`, stop("customer"));
  assert.equal(answer.status, 200);
  const stopped = answer.body as WholeConsent;
  assert.equal(stopped.statusText, "Stopped by you");
  assert.equal(stopped.canStop, false);
  assert.deepEqual(stopped.history.at(-1)?.channel, stop("customer").channel);
  assert.equal(stopped.history.at(-1)?.by, "customer");
  const read = await client.call({ path: "/v3.1/aisp/accounts", token: accessToken });
  expectStatus(read, 401);
  const told = await until(
    async () => (await second.told()).notices.filter((one) => one.consentId === consentId),
    (notices) => notices.at(-1)?.occasion === "consent-ended",
  );
  assert.equal(told.at(-1)?.by, "customer");
  assert.deepEqual(told.at(-1)?.channel, stop("customer").channel);
});

test("the TPP is told that the bank has stopped payments within limits, but not by whom there", async () => {
  const { consentId } = await agreeWithinLimits(bank, client);
  const answer = await call("POST", `/consents/${consentId}/stop`, stop("bank"));
  assert.equal(answer.status, 200);
  assert.equal((answer.body as WholeConsent).statusText, "Stopped by us");
  const path = `/v4.0/pisp/domestic-vrp-consents/${consentId}`;
  const read = await client.call({ path, token: await client.clientToken("payments") });
  expectStatus(read, 200);
  assert.doesNotMatch(read.raw.toString(), /agent-17|phone|call centre/);
  assert.deepEqual(await readConsent(client, "domestic-vrp-consents", consentId), {
    status: "CANC",
    reasons: ["TKSP"],
  });
});

test("a consent that cannot be stopped is refused, and the answer says why", async () => {
  const { lodged } = await approved(bank, client, "4.01");
  const once = await call("POST", `/consents/${lodged.consentId}/stop`, stop("bank"));
  assert.equal(once.status, 409);
  assert.match(JSON.stringify(once.body), /used once/);
  const { consentId } = await giveAccess();
  await call("POST", `/consents/${consentId}/stop`, stop("bank"));
  const again = await call("POST", `/consents/${consentId}/stop`, stop("bank"));
  assert.equal(again.status, 409);
  assert.match(JSON.stringify(again.body), /The consent is CANC/);
  const undecided = await lodgeAccess(client);
  assert.equal((await call("GET", `/consents/${undecided}`)).status, 404);
  assert.equal((await call("POST", "/consents/none/stop", stop("bank"))).status, 404);
});

test("a consent is stopped only with who decides it, where, by whom and why", async () => {
  const { consentId } = await giveAccess();
  const path = `/consents/${consentId}/stop`;
  const whole = stop("customer");
  for (const body of [
    {},
    { by: "customer" },
    { ...whole, by: "tpp" },
    { ...whole, channel: { ...whole.channel, actor: "" } },
    { ...whole, channel: { ...whole.channel, reason: "x".repeat(201) } },
  ]) {
    assert.equal((await call("POST", path, body)).status, 400, JSON.stringify(body));
  }
  assert.equal((await listed()).find((one) => one.consentId === consentId)?.status, "AUTH");
});

test("nobody uses consents on the management listener without the token", async () => {
  const { consentId } = await giveAccess();
  for (const bearer of ["", "a-wrong-token"]) {
    const paths = ["/consents?customerId=second-ada", `/consents/${consentId}`, "/openapi.json"];
    for (const path of paths) {
      assert.equal((await call("GET", path, undefined, bearer)).status, 401, path);
    }
    const answer = await call("POST", `/consents/${consentId}/stop`, stop("bank"), bearer);
    assert.equal(answer.status, 401);
  }
  assert.equal((await listed()).find((one) => one.consentId === consentId)?.status, "AUTH");
});

test("the OpenAPI document of the channels names every operation of the interface", async () => {
  const { status, body } = await call("GET", "/openapi.json");
  assert.equal(status, 200);
  const { paths } = body as { paths: object };
  assert.deepEqual(Object.keys(paths).sort(), [
    "/challenges/{challengeId}",
    "/consents",
    "/consents/{consentId}",
    "/consents/{consentId}/stop",
    "/identifiers",
    "/journeys",
    "/journeys/scanned",
    "/journeys/{journeyId}",
    "/journeys/{journeyId}/accounts",
    "/journeys/{journeyId}/decision",
  ]);
});

test("what a customer was shown who refused a consent is read with it, and the consent cannot be stopped", async () => {
  const consentId = await lodgeAccess(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
  await bank.decide({ authorizationUrl, customer: "ada", decision: "deny" });
  const read = await call("GET", `/consents/${consentId}`);
  assert.equal(read.status, 200);
  const consent = read.body as WholeConsent;
  assert.deepEqual([consent.status, consent.statusText], ["RJCT", "Not approved"]);
  assert.deepEqual([consent.customerId, consent.authorisedAt], [null, null]);
  assert.deepEqual([consent.authorisations, consent.canStop], [[], false]);
  const [attempt, ...others] = consent.attempts;
  assert.deepEqual([attempt?.ending, attempt?.customerId], ["cancelled", "second-ada"]);
  assert.deepEqual(others, []);
  assert.deepEqual(
    attempt?.showings.map(({ step, answer }) => [step, answer?.decision]),
    [
      ["factor", "continue"],
      ["accounts", undefined],
    ],
  );
  assert.ok((await listed()).every((one) => one.consentId !== consentId));
  assert.equal((await call("POST", `/consents/${consentId}/stop`, stop("customer"))).status, 404);
});
