import assert from "node:assert/strict";
import * as http from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { configuredSandbox } from "#src/cli/sandbox-client.ts";
import { createGate } from "#src/sandbox/controls/gate.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBrowser, reboundHost } from "#test/browser.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, order, readOrder, untilStatus } from "#test/journeys/payments.ts";
import { attackControls, attempt, controlCalls } from "./foreign-pages.ts";

const controlsToken = "0123456789abcdef0123456789abcdef";

let bank: TestBank;
let opened: TestBank;
let browser: Browser;
let client: TppClient;
let stranger: http.Server;
before(async () => {
  [bank, opened, browser] = await Promise.all([
    openBank(),
    // reached by a public name, as in a container, so that no caller is local
    openBank({
      MTLS_URL: "https://sandbox.test:8443",
      SANDBOX_HOSTS: "aldgate, bank.test",
      SANDBOX_CONTROLS_NETWORKS: "127.0.0.1/32,fd00::/8",
      SANDBOX_CONTROLS_TOKEN: controlsToken,
    }),
    openBrowser(),
  ]);
  client = await bank.createTpp();
  stranger = http.createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>A shop</title>");
  });
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
});
after(async () => {
  stranger?.close();
  await browser?.close();
  await Promise.all([bank?.close(), opened?.close()]);
});

const strangerPort = (): number => (stranger.address() as AddressInfo).port;
const bankPort = (): string => new URL(bank.publicUrl).port;

/** Makes a payment of the business that waits for its second signature. */
async function waitingOrder(): Promise<string> {
  const dev = (await bank.customers()).find(({ login }) => login === "dev");
  const joint = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2);
  const lodged = await lodge(client, { amount: "310.00" });
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "dev",
    accounts: [joint?.accountId ?? ""],
  });
  return order(client, lodged, token);
}

const statusOf = async (id: string): Promise<unknown> =>
  (await readOrder(client, "domestic-payment", id)).Status;

/** Runs in a page: sends every request that a page can send, and returns the visible responses. */
const fetchAll = `async (target) => {
  const seen = [];
  const body = JSON.stringify({ decision: "approve" });
  const form = new URLSearchParams({ decision: "approve" });
  for (const options of [
    { method: "POST", body: form },
    { method: "POST", body: form, mode: "no-cors" },
    { method: "POST", body, mode: "no-cors" },
    { method: "POST", body, headers: { "content-type": "application/json" } },
    { method: "POST", body: new Blob([body], { type: "" }), mode: "no-cors" },
  ]) {
    seen.push(await fetch(target, options).then((answer) => answer.status, () => "refused"));
  }
  navigator.sendBeacon(target, form);
  return seen;
}`;

const inPage = (page: Page, code: string, argument: unknown): Promise<unknown> =>
  page.evaluate(`(${code})(${JSON.stringify(argument)})`);

test("a page of another origin cannot approve a payment, with a form or with fetch", async () => {
  const id = await waitingOrder();
  const target = `${bank.publicUrl}/sandbox/v1/multi-authorisations/${id}`;
  // another site, and another origin of the same site
  for (const host of ["127.0.0.1", "localhost"]) {
    const page = await browser.newPage();
    await page.goto(`http://${host}:${strangerPort()}/`);
    const seen = (await inPage(page, fetchAll, target)) as unknown[];
    for (const status of seen) assert.ok(status === 0 || status === "refused", `${status}`);
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"]) {
      const form = `<form method="post" action="${target}" enctype="${type}">
        <input name="decision" value="approve"></form>`;
      const shop = await browser.newPage();
      await shop.goto(`http://${host}:${strangerPort()}/`);
      await shop.setContent(form);
      const answered = shop.waitForResponse(target);
      await inPage(shop, "() => document.forms[0].submit()", null);
      assert.equal((await answered).status(), 403, `${host} ${type}`);
      await shop.close();
    }
    await page.close();
  }
  assert.equal(await statusOf(id), "PATC");
  // the same call by a program succeeds
  await bank.control("POST", `/multi-authorisations/${id}`, { decision: "approve" });
  await untilStatus(client, "domestic-payment", id, "ACCC");
});

test("a page whose name is rebound to this machine cannot read secrets or set the clock", async () => {
  // the page of the refusal has the shop's origin, so it can run the shop's requests
  const page = await browser.newPage({ bypassCSP: true });
  const shop = await page.goto(`http://${reboundHost}:${bankPort()}/`);
  assert.equal(shop?.status(), 403);
  const before = bank.clock.now();
  const seen = (await inPage(
    page,
    `async (calls) => {
      const seen = [];
      for (const { method, path, body } of calls) {
        const headers = body === null ? {} : { "content-type": "application/json" };
        const answer = await fetch(path, { method, headers, ...(body ? { body } : {}) });
        seen.push([path, answer.status, await answer.text()]);
      }
      return seen;
    }`,
    [
      ...controlCalls,
      ...["/", "/bank", "/docs"].map((path) => ({ method: "GET", path, body: null })),
    ],
  )) as [string, number, string][];
  for (const [path, status, text] of seen) {
    assert.equal(status, 403, path);
    assert.doesNotMatch(text, /password|PRIVATE KEY|keys\/tpps/i, path);
  }
  await page.close();
  assert.ok(bank.clock.now().since(before).total("hours") < 1);
});

test("every request with a single sign of a foreign page or a proxy is refused", async () => {
  const clients = () => bank.database.query({ text: "select client_id from client", values: [] });
  const before = [bank.clock.now(), (await clients()).length] as const;
  assert.equal(await attackControls({ publicUrl: bank.publicUrl, count: 400, seed: 9 }), 400);
  assert.ok(bank.clock.now().since(before[0]).total("hours") < 1);
  assert.equal((await clients()).length, before[1]);
});

test("a proxy on the bank's machine that adds no header is refused for its HTTP/1.0", async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(bankPort()), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
    socket.end(`GET /sandbox/v1/customers HTTP/1.0\r\nHost: 127.0.0.1:${bankPort()}\r\n\r\n`);
  });
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.match(answer, /without a proxy/);
});

test("the refusal of a control names the setting to change", async () => {
  const call = { method: "GET", path: "/sandbox/v1/customers", body: null };
  const own = new URL(bank.publicUrl).host;
  const refusals: [Record<string, string>, RegExp][] = [
    [{ host: "bank.example" }, /"bank\.example".*SANDBOX_HOSTS/],
    [{ host: own, origin: "http://bank.example" }, /another origin/],
    [{ host: own, "x-forwarded-for": "10.0.0.1" }, /SANDBOX_CONTROLS_NETWORKS.*_TOKEN/],
  ];
  for (const [headers, expected] of refusals) {
    const { status, text } = await attempt(bank.publicUrl, { ...call, headers });
    assert.equal(status, 403);
    assert.match((JSON.parse(text) as { message: string }).message, expected);
  }
  const form = { host: own, "content-type": "application/x-www-form-urlencoded" };
  const post = { method: "POST", path: "/sandbox/v1/tpps", headers: form, body: "name=x" };
  const { status, text } = await attempt(bank.publicUrl, post);
  assert.equal(status, 415);
  assert.match(text, /application\/json/);
});

test("the sandbox's own names and pages pass, under each name of this machine", async () => {
  const call = { method: "GET", path: "/sandbox/v1/clock", body: null };
  for (const name of ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"]) {
    const host = `${name}:${bankPort()}`;
    const honest = [
      { host },
      { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" },
      { host, origin: bank.publicUrl },
      { host, "sec-fetch-site": "none" },
    ];
    for (const headers of honest) {
      const { status, text } = await attempt(bank.publicUrl, { ...call, headers });
      assert.equal(status, 200, `${JSON.stringify(headers)} ${text}`);
    }
  }
});

test("a sandbox with a public name opens its controls to named networks with the token", async () => {
  const call = { method: "GET", path: "/sandbox/v1/customers", body: null };
  const host = "aldgate:8080";
  const authorization = `Bearer ${controlsToken}`;
  const foreign = { origin: "https://evil.example" };
  const cases: [number, Record<string, string>, string?][] = [
    [200, { host, authorization }],
    [200, { host: "BANK.test", authorization, via: "1.1 proxy" }],
    [401, { host }],
    [401, { host, authorization: `${authorization}0` }],
    [403, { host: "other.test", authorization }],
    [403, { host, authorization, ...foreign }],
    [403, { host, authorization }, "127.0.0.2"],
  ];
  for (const [expected, headers, localAddress] of cases) {
    const from = localAddress ? { localAddress } : {};
    const { status, text } = await attempt(opened.publicUrl, { ...call, headers, ...from });
    assert.equal(status, expected, `${JSON.stringify(headers)} ${text}`);
    if (expected !== 200) assert.match(text, /SANDBOX_|another origin/);
  }
});

test("networks without a token, or that are not networks, are refused at the start", () => {
  const urls = { publicUrl: bank.publicUrl, mtlsUrl: bank.mtlsUrl };
  const networks = (SANDBOX_CONTROLS_NETWORKS: string) => ({
    ...urls,
    SANDBOX_CONTROLS_NETWORKS,
    SANDBOX_CONTROLS_TOKEN: controlsToken,
  });
  assert.throws(
    () => createGate({ ...urls, SANDBOX_CONTROLS_NETWORKS: "10.0.0.0/8" }),
    /^Error: SANDBOX_CONTROLS_TOKEN: set .* together/,
  );
  assert.throws(
    () => createGate({ ...urls, SANDBOX_CONTROLS_TOKEN: controlsToken }),
    /^Error: SANDBOX_CONTROLS_NETWORKS: set .* together/,
  );
  for (const text of ["10.0.0.0/33", "::/129", "300.0.0.1/8", "10.0.0/8"]) {
    assert.throws(
      () => createGate(networks(text)),
      /SANDBOX_CONTROLS_NETWORKS: .*is not a network/,
    );
  }
  createGate(networks("10.0.0.0/8, ::1/128"));
});

test("the command line sends the controls' token", async () => {
  const environment = {
    PUBLIC_PORT: new URL(opened.publicUrl).port,
    MTLS_URL: "https://sandbox.test:8443",
  };
  const withToken = {
    ...environment,
    SANDBOX_CONTROLS_NETWORKS: "127.0.0.1/32",
    SANDBOX_CONTROLS_TOKEN: controlsToken,
  };
  const customers = await configuredSandbox({ environment: withToken }).listCustomers();
  assert.ok(customers.length >= 5);
  await assert.rejects(
    configuredSandbox({ environment }).listCustomers(),
    /SANDBOX_CONTROLS_TOKEN/,
  );
});

test("the API reference calls the controls, and asks for the token if one is needed", async () => {
  for (const [{ publicUrl }, asked] of [
    [bank, 0],
    [opened, 1],
  ] as const) {
    const page = await browser.newPage();
    let prompts = 0;
    page.on("dialog", (dialog) => {
      prompts++;
      void dialog.accept(controlsToken);
    });
    await page.goto(`${publicUrl}/docs/api/sandbox-v1/clock`);
    const form = page.locator('form.try[data-path="/sandbox/v1/clock"][data-method="GET"]');
    for (const _turn of [1, 2]) {
      await form.locator("button").click();
      await form.locator(".result", { hasText: '"now"' }).waitFor();
      await form.locator(".result").evaluate("(result) => result.replaceChildren()");
    }
    assert.equal(prompts, asked);
    await page.close();
  }
});
