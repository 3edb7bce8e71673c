import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { Explanation } from "#src/request-log/explain/explanation.ts";
import { whyUnknown, wireIds } from "#src/request-log/explain/wire-ids.ts";
import { ownChannel } from "#src/sandbox/personas/store-own-orders.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { pollNow, subscribe } from "#test/events/events-bed.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order } from "#test/journeys/payments.ts";

let bank: TestBank;
let tpp: TppClient;
before(async () => {
  bank = await openBank();
  tpp = await bank.createTpp({ notificationEndpoint: "http://localhost:1/decided" });
});
after(() => bank?.close());

const explain = (id: string) =>
  bank.control<Explanation>("GET", `/explanations/${encodeURIComponent(id)}`);

/** Begins an approval without a browser. Returns its consent, and the auth_req_id. */
async function begin(): Promise<{ consentId: string; authReqId: string }> {
  const { consentId } = await lodge(tpp);
  const path = "/approvals/one-time-identifiers";
  const { identifier } = await bank.control<{ identifier: string }>("POST", path, {
    customer: "amara",
  });
  const hint = Buffer.from(JSON.stringify({ ephemeral_sub: identifier })).toString("base64url");
  const claims = {
    client_notification_token: randomBytes(16).toString("hex"),
    login_hint_token: `eyJhbGciOiJub25lIn0.${hint}.`,
  };
  const answer = await tpp.backchannel({ scope: "payments", consentId, claims });
  assert.equal(answer.status, 200, answer.raw.toString());
  return { consentId, authReqId: (answer.body as { auth_req_id: string }).auth_req_id };
}

/** The account of a new consent with these permissions, and a function that reads below it. */
async function access(permissions: string[]) {
  const consentId = await lodgeAccess(tpp, { Permissions: ["ReadAccountsDetail", ...permissions] });
  const approval = { scope: "accounts", consentId, customer: "amara" } as const;
  const { access_token: token } = await bank.approve(tpp, approval);
  const read = async (path: string) => {
    const { body } = await tpp.call<{ Data?: Record<string, Record<string, string>[]> }>({
      path: `/v4.0/aisp/${path}`,
      token,
    });
    return Object.values(body?.Data ?? {})[0] ?? [];
  };
  const accountId = present((await read("accounts"))[0]?.AccountId, "an account");
  return { consentId, accountId, token, read };
}

async function eventId(): Promise<string> {
  const { consentId } = await access(["ReadBalances"]);
  await bank.control("POST", `/consents/${consentId}/revoke`, {});
  for (;;) {
    const [jti] = Object.keys((await pollNow(tpp)).sets);
    if (jti !== undefined) return jti;
  }
}

/** An id of each subject that an explanation has. */
const samples: Record<string, () => Promise<string>> = {
  request: async () => {
    const answer = await tpp.call({ path: "/v4.0/aisp/accounts" });
    return String(answer.headers["x-fapi-interaction-id"]);
  },
  consent: async () => (await lodge(tpp)).consentId,
  order: async () => {
    const lodged = await lodge(tpp);
    const { consentId } = lodged;
    const approval = { scope: "payments", consentId, customer: "amara" } as const;
    return order(tpp, lodged, (await bank.approve(tpp, approval)).access_token);
  },
  account: async () => (await access(["ReadBalances"])).accountId,
  "account data": async () => {
    const { read } = await access(["ReadDirectDebits"]);
    return present((await read("direct-debits"))[0]?.DirectDebitId, "a direct debit");
  },
  "approval request": async () => (await begin()).authReqId,
  client: async () => tpp.tpp.clientId,
  software: async () => tpp.tpp.softwareId,
  subscription: () => subscribe(tpp),
  event: eventId,
};

const told = [...new Set(wireIds.flatMap(({ subject }) => subject ?? []))];
for (const subject of told) {
  test(`the id of what is called "${subject}" is explained as such`, async () => {
    const id = await present(samples[subject], subject)();
    const explained = await explain(id);
    assert.equal(explained.subject, subject);
    assert.equal(explained.id, id);
    assert.ok(explained.summary.length > 20 && explained.next.length > 3, explained.summary);
  });
}

const unknown: Record<string, string> = {
  request_uri: "urn:ietf:params:oauth:request_uri:abc",
  "a JWT": "eyJhbGciOiJQUzI1NiJ9.eyJpc3MiOiJhIn0.c2ln",
  "an authorization code, access token or refresh token": "a".repeat(43),
};
for (const { name, subject, instead, form } of wireIds) {
  if (subject !== null) continue;
  test(`the bank says that it cannot explain ${name}, and what to ask instead`, async () => {
    const id = form ? present(unknown[name], name) : randomUUID();
    const path = `/sandbox/v1/explanations/${encodeURIComponent(id)}`;
    const answer = await fetch(bank.publicUrl + path);
    assert.equal(answer.status, 404);
    const { message } = (await answer.json()) as { message: string };
    assert.equal(message, whyUnknown(id));
    assert.ok(message.includes(name), message);
    if (form) assert.ok(message.includes(present(instead, name)), message);
  });
}

test("the table has every member of the APIs that is an id of the bank", async () => {
  const ids = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (name === "properties") Object.keys(member).forEach((one) => void ids.add(one));
      walk(member);
    }
  };
  for (const api of ["pisp-v4.0", "aisp-v4.0", "cbpii-v4.0", "events-v4.0", "pisp-v3.1"]) {
    walk(await (await fetch(`${bank.publicUrl}/openapi/${api}.json`)).json());
  }
  const isKnown = (id: string) =>
    wireIds.some(({ name, members }) => name === id || members?.test(id));
  const lost = [...ids].filter((id) => /[a-z]Id$/.test(id) && !isKnown(id));
  assert.deepEqual(lost, []);
});

test("an account is explained with its holder, the consents that reach it, and what was refused", async () => {
  const { accountId, consentId, token } = await access(["ReadBalances"]);
  const refused = await tpp.call({ path: `/v4.0/aisp/accounts/${accountId}/offers`, token });
  assert.equal(refused.status, 403);
  const explained = await explain(accountId);
  const reached =
    /^The account is open since .* (\d+) (consents? reach(?:es)?) it at the moment\.$/;
  const [, count, noun] = reached.exec(explained.summary) ?? [];
  const values = (name: string) =>
    explained.facts.filter((one) => one.name === name).map(({ value }) => value);
  assert.match(values("holders").join(), /\(owner\)/);
  assert.ok(values("consent").some((one) => one.startsWith(`${consentId} of ${tpp.tpp.clientId}`)));
  assert.equal(Number(count), values("consent").length, explained.summary);
  assert.equal(noun, count === "1" ? "consent reaches" : "consents reach");
  await bank.control("POST", `/consents/${consentId}/revoke`, {});
  const { facts } = await explain(accountId);
  const ended = facts.filter((one) => one.name === "without access");
  assert.ok(ended.some(({ value }) => value.startsWith(`${consentId} of`)));
  assert.equal(facts.filter((one) => one.name === "consent").length, Number(count) - 1);
  assert.ok(facts.every(({ value }) => !value.includes(` of ${ownChannel.clientId} `)));
  const id = String(refused.headers["x-fapi-interaction-id"]);
  assert.ok(values("refused")[0]?.includes(id), values("refused").join());
  assert.ok(explained.next.includes(id));
});

test("however many orders of the bank's own channel are newer, an account is explained with a TPP's consent", async () => {
  const { accountId, consentId } = await access(["ReadBalances"]);
  const own = Array.from({ length: 20 }, (_, index) => ({
    consentId: `own-${index}`,
    kind: "domestic-payment",
    clientId: ownChannel.clientId,
    status: "COND",
    at: bank.clock.now().add({ seconds: 1 }),
    accountIds: [accountId],
  }));
  await addConsents(bank.database, own);
  const { facts } = await explain(accountId);
  assert.ok(facts.some(({ value }) => value.startsWith(`${consentId} of ${tpp.tpp.clientId}`)));
});

test("an approval request that a tester has timed out is explained as the tester's act", async () => {
  const { consentId, authReqId } = await begin();
  await bank.control("POST", `/backchannel-requests/${authReqId}/time-out`, {});
  const explained = await explain(consentId);
  assert.match(explained.summary, /by a tester with the sandbox's controls\./);
  assert.equal(explained.history.at(-1)?.by, "a tester with the sandbox's controls");
  assert.match((await explain(authReqId)).summary, /It has ended: timed_out\./);
});
