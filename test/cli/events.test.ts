import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { accepted, openReceiver } from "#test/events/receiver.ts";
import { runCommand } from "#test/server/run-command.ts";
import {
  type BankWithTpp,
  type Place,
  skipReason,
  startBankWithTpp,
  startCommand,
} from "./running-bank.ts";

suite("the commands for events", { skip: skipReason }, () => {
  let started: BankWithTpp;
  let place: Place;
  let folder: string;
  let client: TppClient;
  before(async () => {
    started = await startBankWithTpp();
    ({ place, folder, client } = started);
  });
  after(() => started?.close());

  const run = (line: string) => runCommand(line, place.environment);

  async function approvedAccess(): Promise<string> {
    const { body } = await client.call<{ Data: { ConsentId: string } }>({
      path: "/v4.0/aisp/account-access-consents",
      token: await client.clientToken("accounts"),
      body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
    });
    const { ConsentId } = body.Data;
    const authorised = await run(`tpp authorise ${folder} ${ConsentId} accounts`);
    assert.equal(authorised.code, 0, authorised.complained);
    return ConsentId;
  }

  test("`listen` forwards an event that `act` causes, and the event commands list and resend it", async () => {
    const empty = await run("events list");
    assert.match(empty.printed, /No TPP is registered for events/);
    const receiver = await openReceiver(accepted);
    const listening = startCommand(
      ["listen", folder, "--forward", receiver.url],
      place.environment,
    );
    await listening.untilSaid(/Listening for the events/);
    const consentId = await approvedAccess();
    const triggered = await run(`act revoke ${consentId}`);
    assert.equal(triggered.code, 0, triggered.complained);
    assert.match(triggered.printed, /: CANC/);
    const [first] = await receiver.arrived(1);
    assert.equal(first?.headers["content-type"], "application/jwt");
    await listening.untilSaid(new RegExp(`${consentId}  -> 202`));

    const { clientId } = client.tpp;
    assert.match((await run("events list")).printed, new RegExp(`${clientId}  polls`));
    for (;;) {
      // the event is accepted once the next poll has acknowledged it
      const { printed } = await run(`events list ${clientId}`);
      if (printed.includes("accepted")) break;
    }
    const again = await run(`events resend ${clientId} --days 1`);
    assert.equal(again.code, 0, again.complained);
    assert.match(again.printed, /1 event is sent again/);
    const [, second] = await receiver.arrived(2);
    assert.equal(second?.body, first?.body);
    listening.child.kill("SIGINT");
    assert.equal(await listening.ended, 0);
    await receiver.close();
  });

  test("`listen` works for a TPP of any role", async () => {
    for (const role of ["PISP", "CBPII"]) {
      const own = join(place.folder, `only-${role}`);
      const created = await run(`tpp create --out ${own} --roles ${role}`);
      assert.equal(created.code, 0, created.complained);
      const listening = startCommand(["listen", own], place.environment);
      await listening.untilSaid(/Listening for the events/);
      listening.child.kill("SIGINT");
      assert.equal(await listening.ended, 0);
    }
  });

  test("`act` changes the state of an account, and the TPP is notified", async () => {
    const customers = await fetch(`${place.publicUrl}/sandbox/v1/customers`);
    const listed = (await customers.json()) as {
      customers: { accounts: { accountId: string }[] }[];
    };
    const { accountId } = present(listed.customers[0]?.accounts[0], "an account");
    const states = { block: "blocked", reopen: "open", close: "closed", switch: "switched" };
    for (const [name, state] of Object.entries(states)) {
      const { code, printed, complained } = await run(`act ${name} ${accountId}`);
      assert.equal(code, 0, complained);
      assert.match(printed, new RegExp(`${accountId}: ${state}`));
    }
    await run(`act reopen ${accountId}`);
  });

  test("the event commands explain each mistake in one sentence", async () => {
    const mistakes: [string, number, RegExp][] = [
      ["events resend", 2, /client id/],
      ["events resend someone --days 91", 2, /1 to 90/],
      ["events resend someone an-id --days 1", 2, /either event ids or --days, not both/],
      ["events resend someone", 1, /not registered for events/],
      ["events list a b", 2, /one client id/],
      ["act other", 2, /revoke/],
      ["act revoke", 2, /CONSENT_ID/],
      ["act revoke none", 1, /no consent with that id/],
      ["act close", 2, /ACCOUNT_ID/],
      ["act close none", 1, /no account "none"/],
      ["listen --forward ftp://localhost", 2, /http:\/\/ or https:\/\//],
      ["listen a b", 2, /one folder/],
    ];
    for (const [line, code, message] of mistakes) {
      const result = await run(line);
      assert.equal(result.code, code, line);
      assert.match(result.complained, message);
      assert.doesNotMatch(result.complained, /at .*\.ts:\d+/);
    }
  });
});
