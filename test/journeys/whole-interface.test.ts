import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { supportedPermissions } from "#src/accounts/account-resources.ts";
import { accountVersions } from "#src/accounts/account-versions.ts";
import { present } from "#src/lib/assert.ts";
import { type ServedKind, servedKinds } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { ApiVersion, Scope } from "#src/standard/api-version.ts";
import { CardIssuer, consents, named } from "#test/funds/card-issuer.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { publishedFiles } from "#test/standard/published.ts";
import { createResponseCheck } from "#test/standard/published-responses.ts";
import { kindSample } from "./kind-sample.ts";
import type { Resource } from "./payments.ts";

// Every operation of every API succeeds once, over mutual TLS. Its response matches the
// published file.

const url = "https://tpp.example/open-banking/v4.0/event-notifications";
const registrations = ["v3.1", "v4.0"].flatMap(
  (version) =>
    [
      [`/${version}/event-subscriptions`, "EventSubscriptionId", { CallbackUrl: url }],
      [`/${version}/callback-urls`, "CallbackUrlId", { Url: url }],
    ] as const,
);

let bank: TestBank;
let client: TppClient;
const succeeded = new Set<string>();

before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  const check = createResponseCheck(publishedFiles);
  client.onAnswer = (method, url, { status, headers, raw }) => {
    const flat = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const seen = { method, url, status, headers: new Headers(flat as [string, string][]) };
    assert.deepEqual(check({ ...seen, body: raw.toString() }), []);
    if (status < 300) succeeded.add(`${method} ${new URL(url).pathname}`);
  };
});
after(() => bank?.close());

for (const kind of paymentKinds.flatMap(servedKinds)) {
  const { id } = kind.format.version;
  test(`${kind.id} in ${id}: consent, approval, order, details`, () => pay(kind));
}

async function pay(kind: ServedKind): Promise<void> {
  const { version } = kind.format;
  const { consent: body, order: sample, file } = kindSample(bank, kind, version.id);
  const base = `${version.basePath.replace("/api/open-banking", "")}/${kind.id}`;
  const token = await client.clientToken("payments");
  if ("ExchangeRateInformation" in body.Data.Initiation) {
    body.Data.Initiation.ExchangeRateInformation = { UnitCurrency: "GBP", RateType: "Actual" };
  }
  const lodged = await client.call<Resource>({ path: `${base}-consents`, token, body });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  const consent = `${base}-consents/${consentId}`;
  if (file) {
    await read(client.call({ path: `${consent}/file`, token, body: file }));
    await read(client.call({ path: `${consent}/file`, token }));
  }
  const access = await approve("payments", consentId);
  await read(client.call({ path: consent, token }));
  const { Initiation } = body.Data;
  const order = { ...sample, Data: { ...sample.Data, ConsentId: consentId, Initiation } };
  if (kind.confirmsFunds && kind.consent.use === "once") {
    const path = `${consent}/funds-confirmation`;
    await read(client.call({ path, token: access }));
  } else if (kind.confirmsFunds) {
    const path = `${consent}/funds-confirmation`;
    const InstructedAmount = { Amount: "10.00", Currency: "GBP" };
    const asked = { Data: { ConsentId: consentId, InstructedAmount } };
    expectStatus(await client.call({ path, token: access, body: asked }), 201);
  }
  const made = await client.call<Resource>({ path: `${base}s`, token: access, body: order });
  expectStatus(made, 201);
  const self = `${base}s/${made.body.Data[kind.orderIdField]}`;
  for (const rest of ["", "/payment-details", ...(file ? ["/report-file"] : [])]) {
    await read(client.call({ path: self + rest, token }));
  }
  if (kind.consent.use === "once") return;
  expectStatus(await client.call({ path: consent, method: "DELETE", token }), 204);
}

async function approve(scope: Scope, consentId: string): Promise<string> {
  const accounts = [present((await bank.currentAccounts("amara"))[0], "hers").accountId];
  const given = { scope, consentId, customer: "amara", accounts };
  return (await bank.approve(client, given)).access_token;
}

async function read<Body>(asked: Promise<Answer<Body>>): Promise<Body> {
  const answer = await asked;
  expectStatus(answer as Answer, 200);
  return answer.body;
}

for (const { id, api } of accountVersions) {
  test(`${id}: every account resource is read`, () => readAccounts(api));
}

async function readAccounts({ id, basePath }: ApiVersion): Promise<void> {
  const base = basePath.replace("/api/open-banking", "");
  const client_ = await client.clientToken("accounts");
  const lodged = await client.call<Resource>({
    path: `${base}/account-access-consents`,
    token: client_,
    body: { Data: { Permissions: [...supportedPermissions()] }, Risk: {} },
  });
  expectStatus(lodged, 201);
  const consent = `${base}/account-access-consents/${lodged.body.Data.ConsentId}`;
  const token = await approve("accounts", String(lodged.body.Data.ConsentId));
  await read(client.call({ path: consent, token: client_ }));
  type Lists = { Data: Record<string, Record<string, string>[]> };
  const list = (path: string) => read(client.call<Lists>({ path: `${base}${path}`, token }));
  const { AccountId } = present((await list("/accounts")).Data.Account?.[0], "an account");
  const statements = await list(`/accounts/${AccountId}/statements`);
  const { StatementId } = present(statements.Data.Statement?.[0], "a statement");
  for (const { path } of (await operations(id)).filter(isRead)) {
    if (path.includes("{ConsentId}")) continue;
    const filled = path
      .replace("{AccountId}", String(AccountId))
      .replace("{StatementId}", String(StatementId));
    const headers = path.endsWith("/file") ? { accept: "application/pdf" } : {};
    await read(client.call({ path: `${base}${filled}`, token, headers }));
  }
  const deleted = await client.call({ path: consent, method: "DELETE", token: client_ });
  expectStatus(deleted, 204);
}

for (const [path, id, data] of registrations) {
  test(`${path}: registered, read, changed, polled and ended`, async () => {
    const token = await client.clientToken("payments");
    const made = await client.call<Resource>({
      path,
      token,
      body: { Data: { Version: "4.0", ...data } },
    });
    expectStatus(made, 201);
    await read(client.call({ path, token }));
    const one = `${path}/${made.body.Data[id]}`;
    await read(client.call({ path: one, method: "PUT", token, body: { Data: made.body.Data } }));
    const body = { returnImmediately: true };
    await read(client.call({ path: path.replace(/[^/]+$/, "events"), token, body }));
    expectStatus(await client.call({ path: one, method: "DELETE", token }), 204);
  });
}

for (const path of ["/v3.1/cbpii", "/v4.0/cbpii"]) {
  test(`${path}: consent, approval, confirmation of funds`, async () => {
    const issuer = new CardIssuer(bank, client, path);
    const [account] = await bank.currentAccounts("amara");
    const data = named(account?.identification ?? null);
    const consent = await issuer.authorised("amara", data);
    expectStatus(await issuer.ask(consent, "1.00"), 201);
    await read(issuer.read(consent.consentId));
    const own = `${consents}/${consent.consentId}`;
    expectStatus(await issuer.own(own, { method: "DELETE" }), 204);
  });
}

test("every operation has been called", async () => {
  const apis = new Set(listOperations(paymentKinds).map(({ api }) => api.id));
  assert.equal((await operations("aisp-v4.0")).length, 29, "as in the published file");
  for (const api of apis) {
    for (const { method, path, base } of await operations(api)) {
      const pattern = new RegExp(`^${method} ${base}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
      assert.ok(
        [...succeeded].some((call) => pattern.test(call)),
        `${api}: ${method} ${path}`,
      );
    }
  }
});

type Listed = { method: string; path: string; base: string };
const isRead = ({ method }: Listed): boolean => method === "GET";

async function operations(api: string): Promise<Listed[]> {
  const answer = await fetch(`${bank.publicUrl}/openapi/${api}.json`);
  const { paths, servers } = (await answer.json()) as {
    paths: Record<string, object>;
    servers: { url: string }[];
  };
  const base = new URL(servers[0]?.url ?? "").pathname;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ method: method.toUpperCase(), path, base })),
  );
}
