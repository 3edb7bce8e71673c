import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "#packages/client/src/index.ts";
import { openSandbox, SandboxError } from "#packages/client/src/sandbox.ts";
import { freePort } from "#test/free-port.ts";
import { type Host, openWorldsHost } from "#test/worlds/worlds-bed.ts";

let host: Host;
before(async () => {
  host = await openWorldsHost();
});
after(() => host?.close());

test("a client without a running sandbox is told the address and how to start one", async () => {
  const address = `http://localhost:${await freePort()}`;
  const sandbox = openSandbox(address);
  for (const call of [() => sandbox.createTpp(), () => sandbox.customers()]) {
    await assert.rejects(call, ({ message }: Error) => {
      assert.ok(message.includes(address), message);
      return /Start one with `npm start`.* or with `npx aldgate`/.test(message);
    });
  }
  sandbox.close();
});

test("a client opens a world, reads an account there, and deletes the world", async () => {
  const sandbox = openSandbox(host.publicUrl);
  const world = await sandbox.openWorld("green");
  const bank = await connect(await world.createTpp());
  const consent = await bank.accounts.createConsent({
    Data: { Permissions: ["ReadAccountsBasic"] },
    Risk: {},
  });
  const login = await bank.authorise(consent);
  assert.ok(!login.url.startsWith(host.publicUrl));
  const { redirectUrl } = await world.approve(login, { customer: "amara" });
  const grant = await bank.finish(login, redirectUrl);
  const { done } = await bank.accounts.readAll("accounts", grant).next();
  assert.equal(done, false);
  bank.close();
  world.close();
  await sandbox.deleteWorld("green");
  await assert.rejects(sandbox.call("GET", "/worlds/green"), SandboxError);
  sandbox.close();
});
