// docs/sandbox.md and the bank agree: each curl of the page is sent as it is printed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order } from "#test/journeys/payments.ts";
import { type Host, openWorldsHost } from "#test/worlds/worlds-bed.ts";

const page = readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```sh\n([^`]*)```/g)].map(([, text = ""]) => text);
const calls = blocks
  .flatMap((text) => text.replaceAll("\\\n", " ").split("\n"))
  .filter((line) => line.startsWith("curl "));

let bank: TestBank;
let host: Host;
before(async () => {
  bank = await openBank();
  host = await openWorldsHost();
});
after(() => bank?.close());

/** Sends what a curl command line with -X, -H and -d would send. */
async function send(line: string, values: Record<string, string>): Promise<Response> {
  const words = [...line.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, double, bare]) => quoted ?? double?.replaceAll('\\"', '"') ?? bare ?? "",
  );
  const filled = words.map((word) => word.replace(/\$(\w+)/g, (_, name) => values[name] ?? ""));
  const after = (option: string) => filled[filled.indexOf(option) + 1];
  const has = (option: string) => filled.includes(option);
  const url = present(
    filled.find((word) => word.startsWith("localhost:8080")),
    "the URL",
  );
  const { publicUrl } = url.includes("/worlds") ? host : bank;
  return fetch(publicUrl + url.slice("localhost:8080".length), {
    method: has("-X") ? present(after("-X"), "the method") : has("-d") ? "POST" : "GET",
    ...(has("-H") ? { headers: { "content-type": "application/json" } } : {}),
    ...(has("-d") ? { body: present(after("-d"), "the body") } : {}),
  });
}

test("docs/sandbox.md has a curl command for each thing that a request can do", () => {
  const without = page
    .split("\n## ")
    .filter((section) => !section.includes("\ncurl "))
    .map((section) => section.split("\n")[0]);
  assert.deepEqual(without, [
    "# The sandbox",
    "Payees whose names do not match",
    "Who may use the controls",
  ]);
});

/** Makes a payment of amara's that waits for its day. */
async function makeScheduled(client: TppClient): Promise<string> {
  const [account] = await bank.currentAccounts("amara");
  const on = bank.clock.now().add({ hours: 10 * 24 });
  const lodged = await lodge(client, {
    kind: "domestic-scheduled-payment",
    initiation: { RequestedExecutionDateTime: on.toString() },
  });
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "amara",
    accounts: [present(account, "an account").accountId],
  });
  return order(client, lodged, token);
}

for (const line of calls) {
  test(`the bank accepts the command of docs/sandbox.md: ${line.slice(0, 60)}`, async () => {
    const client = await bank.createTpp();
    const consentId = await lodgeAccess(client);
    const [account] = await bank.currentAccounts("chloe");
    const { accountId } = present(account, "an account");
    if (line.includes("$CONSENT")) {
      const [customer, accounts] = ["chloe", [accountId]];
      await bank.approve(client, { scope: "accounts", consentId, customer, accounts });
    }
    const answer = await send(line, {
      URL: await client.authorizationUrl({ scope: "accounts", consentId }),
      ACCOUNT: accountId,
      CONSENT: consentId,
      ORDER: line.includes("$ORDER") ? await makeScheduled(client) : "",
    });
    assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
  });
}

test("docs/sandbox.md names every customer of the sandbox", async () => {
  for (const { login } of await bank.customers()) assert.ok(page.includes(`\`${login}\``), login);
});
