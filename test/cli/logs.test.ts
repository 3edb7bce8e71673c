// docs/ask-it-why.md and the command line agree: each command of the page runs as it is printed.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { lodgeAccess, quickPayee } from "#test/journeys/payments.ts";
import { runCommand } from "#test/server/run-command.ts";
import {
  type BankWithTpp,
  type Place,
  skipReason,
  startBankWithTpp,
  startCommand,
} from "./running-bank.ts";

const page = readFileSync(new URL("../../docs/ask-it-why.md", import.meta.url), "utf8");
const commands = [...page.matchAll(/```sh\n([^`]*)```/g)]
  .flatMap(([, text = ""]) => text.replaceAll("\\\n", " ").trim().split("\n"))
  .map((line) => line.trim());

suite("the commands of docs/ask-it-why.md", { skip: skipReason }, () => {
  let started: BankWithTpp;
  let place: Place;
  let client: TppClient;
  before(async () => {
    started = await startBankWithTpp();
    ({ place, client } = started);
    const body = Buffer.from('{"Data":{}}');
    await client.call({
      path: "/v4.0/pisp/domestic-payment-consents",
      token: await client.clientToken("payments"),
      body,
      headers: {
        "x-fapi-interaction-id": "93bac548-d2de-4546-b106-880a5018460d",
        "x-jws-signature": await client.signature(Buffer.from('{"Data": {}}')),
      },
    });
  });
  after(() => started?.close());

  const run = (line: string) => runCommand(line, place.environment);

  /** Writes a request that the bank would accept into a file, as the page says. */
  async function writeRequest(file: string): Promise<void> {
    const body = JSON.stringify({
      Data: {
        Initiation: {
          InstructionIdentification: "42",
          EndToEndIdentification: "43",
          InstructedAmount: { Amount: "1.00", Currency: "GBP" },
          CreditorAccount: quickPayee,
        },
      },
      Risk: { PaymentContextCode: "TransferToThirdParty" },
    });
    const lines = [
      `POST ${pispV40.basePath}/domestic-payment-consents HTTP/1.1`,
      "Content-Type: application/json",
      "x-idempotency-key: 4711",
      `x-jws-signature: ${await client.signature(Buffer.from(body))}`,
      "",
      body,
    ];
    writeFileSync(file, lines.join("\r\n"));
  }

  test("the page has a command for each thing that it explains", () => {
    assert.ok(commands.length >= 4, String(commands.length));
  });

  for (const line of commands) {
    test(`${line.slice(0, 70)}`, async () => {
      if (line.startsWith("curl ")) {
        const [, path = ""] = /localhost:8080([^' ]*)/.exec(line) ?? [];
        const answer = await fetch(place.publicUrl + path);
        assert.equal(answer.status, 200, await answer.text());
        return;
      }
      const file = join(place.folder, "request.http");
      if (line.includes("request.http")) await writeRequest(file);
      const command = line.replace("./aldgate ", "").replace("request.http", file);
      const { code, printed, complained } = await run(command);
      assert.equal(code, 0, complained);
      if (line.includes("logs 93bac548")) assert.match(printed, /check +signature +refused/);
      if (line.includes("explain")) assert.match(printed, /likely mistake .* as Python writes it/);
      if (line.includes("4xx")) assert.match(printed, /400 {2}POST .* U015 /);
    });
  }

  test("`logs --follow` prints each new request that fits, until it is stopped", async () => {
    const following = startCommand(["logs", "--follow", "--status", "404"], place.environment);
    await client.call({ path: "/v4/aisp/none" });
    await following.untilSaid(/404 {2}GET \/api\/open-banking\/v4\/aisp\/none/);
    following.child.kill("SIGINT");
    assert.equal(await following.ended, 0);
  });

  test("`explain` and `logs` have the words of v3.1 for a consent and a request of v3.1", async () => {
    const consentId = await lodgeAccess(client);
    const explained = await run(`explain ${consentId}`);
    assert.match(explained.printed, /It is AwaitingAuthorisation \(it waits for the customer\)/);
    assert.match(explained.printed, /created as AwaitingAuthorisation/);
    assert.doesNotMatch(explained.printed, /AWAU/);
    await client.call({ path: "/v3.1/aisp/none" });
    const listed = await run("logs --code UK.OBIE.Resource.NotFound --limit 1");
    assert.match(listed.printed, /404 {2}GET \/api\/open-banking\/v3\.1\/aisp\/none {2}UK\.OBIE\./);
  });

  test("`logs --json` prints a line of JSON for each request", async () => {
    const { printed } = await run("logs --limit 2 --json");
    const lines = printed.trim().split("\n");
    assert.equal(lines.length, 2);
    for (const line of lines) assert.ok(JSON.parse(line).logId);
  });

  test("wrong arguments are answered in words", async () => {
    const wrong = await run("logs --status 40");
    assert.equal(wrong.code, 1);
    assert.match(wrong.complained, /status must be three digits/);
    const unknown = await run("logs none");
    assert.match(unknown.complained, /The log has no request with the id none/);
  });
});
