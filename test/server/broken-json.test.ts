// Every listener that takes JSON says where a body stops being JSON, in its own form of a refusal.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Bank } from "#src/bank/port.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import { customersPath } from "#src/pages/people.ts";
import { controlRows } from "#src/sandbox/controls/interface.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Host, openWorldsHost } from "#test/worlds/worlds-bed.ts";

const tokens = { CHANNELS_TOKEN: "the-channels", APP_TOKEN: "the-app", BANK_TOKEN: "the-core" };
const core = serveCore({ bank: {} as Bank, name: "A core", tariff: [] });

let bank: TestBank;
let host: Host;
let world: string;
let coreUrl: string;
before(async () => {
  const BANK_MODULE = fileURLToPath(new URL("core.ts", import.meta.url));
  bank = await openBank({ BANK_MODULE, ...tokens });
  host = await openWorldsHost();
  world = (await host.world("red")).publicUrl;
  coreUrl = await core.listen({ port: 0, host: "127.0.0.1" });
});
after(async () => {
  await core.close();
  await host?.close();
  await bank?.close();
});

/** Where a listener takes JSON, the headers that it needs, and what its refusals say in. */
type Row = [
  name: string,
  url: () => string,
  headers: Record<string, string>,
  member?: "message" | "title",
  method?: string,
];

const bearer = (name: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[name]}` });
const rows: Row[] = [
  ["a world's controls", () => `${world}/sandbox/v1/consents/none/stop`, {}],
  [
    "the channels",
    () => `${bank.managementUrl}/channels/v1/consents/none/stop`,
    bearer("CHANNELS_TOKEN"),
  ],
  ["the app", () => `${bank.managementUrl}/channels/v1/journeys`, bearer("APP_TOKEN")],
  ["the core's feed", () => `${bank.managementUrl}/core/v1/changes`, bearer("BANK_TOKEN")],
  ["a core over HTTP", () => `${coreUrl}/customers/read`, { "aldgate-contract": "1" }, "title"],
  ...controlRows
    .filter(({ request }) => request)
    .map(({ route: [method, path] }): Row => {
      const url = () => `${host.publicUrl}/sandbox/v1${path.replaceAll(/:\w+/g, "none")}`;
      return [`${method} ${path}`, url, {}, "message", method];
    }),
];

const deletions: [name: string, url: () => string][] = [
  ...controlRows
    .filter(({ route: [method] }) => method === "DELETE")
    .map(({ route: [, path] }): (typeof deletions)[number] => [
      path,
      () => `${host.publicUrl}/sandbox/v1${path.replaceAll(/:\w+/g, "none")}`,
    ]),
  ["/customers/:login of a world", () => `${world}/sandbox/v1/customers/none`],
];

for (const [name, url] of deletions) {
  test(`DELETE ${name} with the type of a body and no body is one without a body`, async () => {
    const plain = await fetch(url(), { method: "DELETE" });
    const headers = { "content-type": "application/json" };
    const typed = await fetch(url(), { method: "DELETE", headers });
    assert.deepEqual([typed.status, await typed.text()], [plain.status, await plain.text()]);
    const body = await fetch(url(), { method: "DELETE", headers, body: "{" });
    assert.equal(body.status, 400);
  });
}

test("an API and the registration endpoint read such a DELETE as one without a body", async () => {
  const client = await bank.createTpp();
  const headers = {
    authorization: `Bearer ${await client.clientToken("accounts")}`,
    "content-type": "application/json",
  };
  const statusOf = async (path: string): Promise<number> =>
    (await client.send(`${bank.mtlsUrl}${path}`, "DELETE", undefined, headers)).status;
  for (const version of ["v3.1", "v4.0"]) {
    const path = `/api/open-banking/${version}/aisp/account-access-consents`;
    const made = await client.call<{ Data: { ConsentId: string } }>({
      path: `/${version}/aisp/account-access-consents`,
      token: await client.clientToken("accounts"),
      body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
    });
    assert.equal(await statusOf(`${path}/${made.body.Data.ConsentId}`), 204, version);
  }
  assert.equal(await statusOf(`/register/${client.tpp.clientId}`), 204);
});

const broken: [body: string | Buffer, why: RegExp][] = [
  ['{"by": "bank",}', /body must be JSON: expected a member's name.* at byte 15, but found `}`/],
  [
    '{"by": "bank"',
    /body must be JSON: expected `,` or the closing bracket at byte 14, but it ends/,
  ],
  ["", /body must be JSON: expected a value at byte 1, but it ends/],
  [Buffer.from([0x22, 0xff, 0x22]), /body must be UTF-8/],
  ["[]", /body must be a JSON object/],
  ['{"by": 1, "by": 2}', /body has the member "by" twice/],
];

describe("a body that is not JSON is refused with its place", () => {
  for (const [name, url, headers, member = "message", method = "POST"] of rows) {
    test(name, async () => {
      for (const [body, why] of broken) {
        const answer = await fetch(url(), {
          method,
          body,
          headers: { "content-type": "application/json", ...headers },
        });
        const said = (await answer.json()) as Record<string, string>;
        assert.equal(answer.status, 400, JSON.stringify(said));
        assert.match(said[member] ?? "", why);
      }
    });
  }
});

test("the page for a customer says where its JSON breaks", async () => {
  const answer = await fetch(`${host.publicUrl}${customersPath}`, {
    method: "POST",
    body: new URLSearchParams({ act: "add", text: '{"login": "robin",}' }),
  });
  const [, alert] = /role="alert"[^>]*>(.*)<\/div>/.exec(await answer.text()) ?? [];
  assert.equal(answer.status, 400);
  assert.match(alert ?? "", /The customer must be JSON: expected a member.* at byte 19, but found/);
});
