// docs/going-live.md is this test in words: a bank with the production profile, and a TPP that
// comes with nothing but its certificate and its software statement.

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { decodeProtectedHeader } from "jose";
import { present } from "#src/lib/assert.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { startCommand } from "#test/cli/running-bank.ts";
import { expectStatus } from "#test/harness.ts";
import { makeAuthority } from "#test/http/certificates.ts";
import type { KeyPem } from "#test/registration/bed.ts";
import { issueSigning, rsaKey } from "#test/server/production-folder.ts";
import { until } from "#test/until.ts";
import { commandsOfPage } from "./going-live-page.ts";
import { type LiveBank, openLiveBank } from "./live-bank.ts";
import { liveCores } from "./live-cores.ts";
import { tppSubject } from "./live-tpp.ts";
import { lodge, lodgeAccess, order, untilStatus } from "./payments.ts";
import { readAndStop } from "./stop-consent.ts";
import { suspendAndRemove } from "./suspend-tpp.ts";

// Each command reads the same settings as the server, whatever form the page gives them.
const otherCommands = ["keys list", "events list", "vrp contracts", "payments stuck", "notices"];

type Keys = { keys: { kid: string; state: string }[] };

/** Returns the id of the key that signs the bank's answers. */
async function signerOf(client: TppClient, orderId: string): Promise<string | undefined> {
  const token = await client.clientToken("payments");
  const path = `/v4.0/pisp/domestic-payments/${orderId}`;
  const { headers } = await client.call({ path, token });
  return decodeProtectedHeader(String(headers["x-jws-signature"])).kid;
}

for (const { name, open } of liveCores) {
  describe(`a production bank ${name}`, () => {
    let bank: LiveBank;
    // the key that is on standby at first, and signs in the end
    let standbyKid: string;
    before(async () => {
      bank = await openLiveBank(open);
    });
    after(() => bank?.close());

    test("is ready, announces registration and publishes its signature certificate", async () => {
      const { publicUrl, mtlsUrl, tpp, folder, operate } = bank;
      const ready = await fetch(`${bank.managementUrl}/health/ready`);
      assert.equal(ready.status, 200);
      assert.doesNotMatch(await ready.text(), /"degraded":\[[^\]]/);
      const client = tpp.clientOf(await tpp.enrol());
      try {
        const { issuer, registration_endpoint: endpoint } = await tpp.discover(client);
        assert.deepEqual([issuer, endpoint], [publicUrl, `${mtlsUrl}/register`]);
        const jwks = await client.send(`${publicUrl}/jwks`, "GET", undefined, {});
        const signing = readFileSync(present(bank.environment.SIGNING_CERTIFICATE, "its file"));
        const own = new X509Certificate(signing).raw.toString("base64");
        assert.ok(jwks.raw.toString().includes(JSON.stringify(own)));
        const controls = `${publicUrl}/sandbox/v1/customers`;
        expectStatus(await client.send(controls, "GET", undefined, {}), 404);
      } finally {
        client.close();
      }
      assert.match(await operate("config"), /^ALDGATE_PROFILE=production$/m);
      assert.match(await operate("migrate"), /up to date/);
      const key = folder.write("standby.key.pem", rsaKey());
      const certificate = await issueSigning(readFileSync(key, "utf8"), folder.caKeyPem);
      const chain = folder.write("standby.pem", `${certificate}${folder.caPem}`);
      await operate("keys", "add", key, "--certificate", chain);
      const { keys } = JSON.parse(await operate("keys", "list", "--json")) as Keys;
      standbyKid = present(keys.find(({ state }) => state === "standby")?.kid, "the new key");
      // in 15 seconds: a test cannot wait until TPPs have known the key for a day
      await operate("keys", "rotate", standbyKid, "--now");
    });

    test("refuses a statement that the issuer's key did not sign", async () => {
      const { tpp } = bank;
      const stranger = (await generateRsaKey()) as KeyPem;
      const answer = await tpp.register(await tpp.enrol(), await tpp.statement(stranger));
      expectStatus(answer, 400);
      assert.equal((answer.body as { error: string }).error, "invalid_software_statement");
    });

    test("refuses a certificate of an unknown authority", async () => {
      const software = await bank.tpp.enrol();
      const other = await makeAuthority("Another root");
      const transport = await other.issue(tppSubject);
      const answer = await bank.tpp.register({ ...software, transport });
      expectStatus(answer, 401);
      assert.match(answer.raw.toString(), /ISSUER_UNKNOWN/);
    });

    test("refuses a certificate that its authority has revoked", async () => {
      const software = { ...(await bank.tpp.enrol()), transport: bank.revoked };
      const answer = await bank.tpp.register(software);
      expectStatus(answer, 401);
      assert.match(answer.raw.toString(), /has been revoked|is revoked/);
    });

    test("registers a TPP, which makes a payment and reads the account", async () => {
      const { core, operate, environment } = bank;
      const client = await bank.tpp.registered();
      try {
        const lodged = await lodge(client, { amount: "12.34" });
        const token = await bank.approve(client, "payments", lodged.consentId);
        const orderId = await order(client, lodged, token);
        await untilStatus(client, "domestic-payment", orderId, "ACCC");
        assert.deepEqual(await core.debits(), [-1234n]);
        const consentId = await lodgeAccess(client);
        const access = await bank.approve(client, "accounts", consentId);
        const line = new RegExp(`^${client.tpp.clientId}  active  Thrift  `, "m");
        assert.match(await operate("clients", "list"), line);
        await operate("verify");
        await readAndStop({ client, operate, environment, core }, { consentId, token: access });
        await suspendAndRemove(client, operate);
      } finally {
        client.close();
      }
    });

    test("R-030: a payment in progress is made after its TPP has deleted its registration", async () => {
      const { core } = bank;
      const client = await bank.tpp.registered();
      try {
        const made = (await core.debits()).length;
        const lodged = await lodge(client, { amount: "7.00" });
        const token = await bank.approve(client, "payments", lodged.consentId);
        await core.fail(true);
        await order(client, lodged, token);
        const url = `${bank.mtlsUrl}/register/${client.tpp.clientId}`;
        const authorization = `Bearer ${await client.clientToken("payments")}`;
        expectStatus(await client.send(url, "DELETE", undefined, { authorization }), 204);
        expectStatus(await client.send(url, "GET", undefined, { authorization }), 401);
        assert.equal((await core.debits()).length, made);
        await core.fail(false);
        const debits = await until(core.debits, ({ length }) => length > made);
        assert.equal(debits.at(-1), -700n);
      } finally {
        await core.fail(false);
        client.close();
      }
    });

    test("pays nothing twice after it was restored from an older backup", async () => {
      const { core, operate } = bank;
      const client = await bank.tpp.registered();
      try {
        const lodged = await lodge(client, { amount: "8.00" });
        const token = await bank.approve(client, "payments", lodged.consentId);
        const since = Temporal.Now.instant().toString();
        const backup = await bank.stopAndCopy(`later_${process.pid}`);
        await bank.open();
        const orderId = await order(client, lodged, token, "the-same-key");
        await untilStatus(client, "domestic-payment", orderId, "ACCC");
        const paid = await core.debits();
        assert.equal(paid.at(-1), -800n);
        await bank.stopAndCopy(`restored_${process.pid}`, backup);
        const compared = startCommand(["reconcile", "--since", since], bank.environment);
        assert.equal(await compared.ended, 1, compared.said());
        assert.match(compared.said(), new RegExp(`DIFFERS .* consent ${lodged.consentId} `));
        await bank.open();
        assert.equal(await order(client, lodged, token, "the-same-key"), orderId);
        await untilStatus(client, "domestic-payment", orderId, "ACCC");
        await operate("verify");
        assert.deepEqual(await core.debits(), paid);
        await operate("reconcile", "--since", since);
        await until(
          () => signerOf(client, orderId),
          (kid) => kid === standbyKid,
        );
      } finally {
        client.close();
      }
    });

    test("has run every command that the page names, and the other commands of operators", async () => {
      for (const line of otherCommands) await bank.operate(...line.split(" "));
      assert.deepEqual(
        commandsOfPage().filter((command) => !bank.operated.has(command)),
        [],
      );
      assert.deepEqual(bank.core.faults(), []);
    });
  });
}
