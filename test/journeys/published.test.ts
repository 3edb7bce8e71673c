import assert from "node:assert/strict";
import { test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TestBank } from "#test/harness.ts";
import { compareWithPublished, type OpenApi } from "#test/standard/compare-with-published.ts";
import { deliberateDifferences } from "#test/standard/deliberate-differences.ts";
import { loadPublished, publishedFiles } from "#test/standard/published.ts";
import { until } from "#test/until.ts";
import type { Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { lodge, order, untilStatus } from "./payments.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore((bed) => {
  ({ bank, customers, client } = bed);
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${bank.publicUrl}${path}`, { headers, redirect: "manual" });

for (const [api, files] of Object.entries(publishedFiles)) {
  test(`the live document of ${api} matches the published one`, async () => {
    const answer = await get(`/openapi/${api}.json`);
    assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
    const document = (await answer.json()) as OpenApi;
    const deliberate = deliberateDifferences.filter(({ apis }) => apis.some((id) => id === api));
    const differences = compareWithPublished(document, ...files.map(loadPublished));
    assert.deepEqual(
      differences.filter(({ at }) => !deliberate.some((one) => one.at.test(at))),
      [],
    );
    // none of the listed operations is 404
    const base = new URL((document.servers as { url: string }[])[0]?.url ?? "").pathname;
    for (const [path, item] of Object.entries(document.paths)) {
      for (const method of ["get", "post", "put", "delete"].filter((name) => name in item)) {
        const url = `${bank.publicUrl}${base}${path.replace(/\{\w+\}/g, "none")}`;
        const { status } = await fetch(url, { method: method.toUpperCase() });
        assert.equal(status, 401, `${method} ${path}`);
      }
    }
  });
}

test("a call from the reference page gets 201", async () => {
  const customer = await customers.arrive();
  const { page } = customer;
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const tried = async (resource: string, operationId: string): Promise<string> => {
    const url = `${bank.publicUrl}/docs/api/${resource}`;
    if (page.url() !== url) await page.goto(url);
    const section = page.locator("section.beside", { has: page.locator(`[id="${operationId}"]`) });
    await section.getByRole("button", { name: "Send" }).click();
    await section.locator(".result > p").first().waitFor();
    return (await section.locator(".result").textContent()) ?? "";
  };
  const followed = async (name: string): Promise<string> => {
    const link = page.getByRole("link", { name }).first();
    const answer = await page.request.get(`${bank.publicUrl}${await link.getAttribute("href")}`);
    return `${answer.status()} ${await answer.text()}`;
  };
  const consents = "pisp-v4.0/domestic-payment-consents";
  const orders = "pisp-v4.0/domestic-payments";
  assert.match(await tried(consents, "CreateDomesticPaymentConsents"), /^201.*AWAU/s);
  await page.getByRole("button", { name: "Approve this consent" }).click();
  await page.getByText("Approved as amara.").waitFor();
  await until(
    () => followed("This call in the log"),
    (text) => /^200 .*CreateDomesticPaymentConsents/s.test(text),
  );
  assert.match(await followed("Why this answer"), /^200 .*201/s);
  // the page fills in the consent's id, and would approve the consent before it sends the order
  assert.match(await tried(orders, "CreateDomesticPayments"), /^201.*DomesticPaymentId/s);
  assert.match(await tried(orders, "GetDomesticPaymentsDomesticPaymentId"), /^200/);
  assert.match(await tried("aisp-v3.1/account-access", "CreateAccountAccessConsents"), /^201/);
  assert.match(await tried("aisp-v3.1/accounts", "GetAccounts"), /^200.*AccountId/s);
  assert.match(await tried("sandbox-v1/clock", "readClock"), /^200.*now/s);
  assert.deepEqual(complaints, []);
  await customer.leave();
});

test("no page loads anything from another origin or violates its own policy", async () => {
  const customer = await customers.arrive();
  const { page } = customer;
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== bank.publicUrl) complaints.push(`${page.url()} loads ${url}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()} ${response.status()}`);
  });
  const { consentId } = await lodge(client);
  const journey = await client.authorizationUrl({ scope: "payments", consentId });
  for (const url of [`${bank.publicUrl}/`, `${bank.publicUrl}/docs`, `${bank.publicUrl}/bank`]) {
    await page.goto(url);
  }
  await page.goto(journey);
  await customer.login("amara");
  await customer.factor();
  assert.deepEqual(complaints, []);
  await customer.leave();
});

test("every page has the security headers", async () => {
  for (const path of ["/", "/docs", "/bank/login", "/no/such/page", "/journey/none", "/auth"]) {
    const { headers } = await get(path, { accept: "text/html" });
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; /, path);
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/, path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.equal(headers.get("x-frame-options"), "DENY", path);
    assert.match(headers.get("referrer-policy") ?? "", /^(no-referrer|same-origin)$/, path);
    // the documentation is the same for everyone: it may be kept, and is asked for again
    const kept = path === "/docs" ? /^public, no-cache$/ : /no-store/;
    assert.match(headers.get("cache-control") ?? "", kept, path);
    assert.match(headers.get("content-type") ?? "", /^text\/html; charset=utf-8$/i, path);
    assert.equal(headers.get("server"), null, path);
    assert.equal(headers.get("x-powered-by"), null, path);
  }
});

test("the home page shows a newcomer who can log in, and the next step", async () => {
  const customer = await customers.arrive({ viewport: { width: 360, height: 740 } });
  await customer.open(`${bank.publicUrl}/`);
  const text = await customer.text();
  for (const word of ["amara", "npm run demo", "tpp create", "/api/open-banking"]) {
    assert.ok(text.includes(word), word);
  }
  const links = await customer.page
    .locator("main a[href^='/']")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  for (const link of links) {
    assert.ok((await get(link, { accept: "text/html" })).status < 400, link);
  }
  const wide = await customer.page.evaluate("document.documentElement.scrollWidth");
  assert.ok(Number(wide) <= 360, String(wide));
  await customer.leave();
});

test("an unknown address gets a browser a page with a link, and a program JSON", async () => {
  const customer = await customers.arrive();
  const response = await customer.page.goto(`${bank.publicUrl}/acounts`);
  assert.equal(response?.status(), 404);
  assert.match(await customer.text(), /We cannot find this page/);
  await customer.follow("main a[href='/']");
  assert.equal(customer.page.url(), `${bank.publicUrl}/`);
  await customer.leave();
  const answer = await get("/acounts", { accept: "application/json" });
  assert.equal(answer.status, 404);
  assert.match(String(((await answer.json()) as { message: string }).message), /nothing/);
});

test("A-001, P-010: every response below /api has the interaction id, including refusals and 404", async () => {
  const id = "93bac548-d2de-4546-b106-880a5018460d";
  const paths = [
    "/api/open-banking/v3.1/aisp/accounts",
    "/api/open-banking/v4.0/pisp/domestic-payments/x",
    "/api/open-banking/v4.0/pisp/nothing",
    "/api/open-banking/v9/x",
    "/api/open-banking/v4.0/pisp/%E0%A4%A",
    "/token",
    "/jwks",
    "/.well-known/openid-configuration",
  ];
  for (const path of paths) {
    const answer = await get(path, { "x-fapi-interaction-id": id });
    assert.equal(answer.headers.get("x-fapi-interaction-id"), id, path);
    const own = (await get(path)).headers.get("x-fapi-interaction-id");
    assert.match(own ?? "", /^[0-9a-f-]{36}$/, path);
    assert.notEqual(own, id);
    assert.doesNotMatch(answer.headers.get("content-type") ?? "", /html/, path);
  }
});

test("HEAD responds like GET, without a body, for pages, documents and health", async () => {
  const paths = ["/", "/docs", "/openapi/pisp-v4.0.json", "/bank/login", "/health/live"];
  const documents = ["/.well-known/openid-configuration", "/jwks", "/health/ready"];
  for (const path of [...paths, ...documents]) {
    const url = `${bank.publicUrl}${path}`;
    const whole = await fetch(url, { redirect: "manual" });
    const head = await fetch(url, { method: "HEAD", redirect: "manual" });
    assert.equal(head.status, 200, path);
    assert.equal(await head.text(), "");
    for (const name of ["content-type", "content-length"]) {
      assert.equal(head.headers.get(name), whole.headers.get(name), `${name} of ${path}`);
    }
  }
});

test("health answers a load balancer, and metrics report requests, payments and the engine", async () => {
  assert.deepEqual(await (await get("/health/live")).json(), { status: "live" });
  const ready = (await (await get("/health/ready")).json()) as Record<string, unknown>;
  assert.equal(ready.status, "ready");
  const [payer] = await bank.currentAccounts("amara");
  assert.ok(payer);
  const lodged = await lodge(client);
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "amara",
    accounts: [payer.accountId],
  });
  await untilStatus(client, "domestic-payment", await order(client, lodged, token), "ACCC");
  const metrics = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  const answered = (api: string, operation: string, status: number) =>
    `aldgate_request_duration_seconds_count{api="${api}",operation="${operation}",` +
    `status="${status}"} `;
  for (const line of [
    'aldgate_payments_total{kind="domestic-payment",status="ACCC"} ',
    answered("pisp-v4.0", "CreateDomesticPayments", 201),
    answered("pages", "GET /docs", 200),
    answered("pages", "POST /journey/:uid", 303),
    'aldgate_token_failures_total{api="pisp-v4.0"} ',
  ]) {
    const found = metrics.split("\n").find((one) => one.startsWith(line));
    assert.ok(found !== undefined && Number(found.slice(line.length)) > 0, line);
  }
  assert.match(metrics, /^aldgate_engine_lag_seconds 0/m);
});
