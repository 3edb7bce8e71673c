// A production bank with the settings of docs/going-live.md, and its operators.
import assert from "node:assert/strict";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { type Running, startCommand } from "#test/cli/running-bank.ts";
import { freePort } from "#test/free-port.ts";
import { makeAuthority } from "#test/http/certificates.ts";
import { startPostgres } from "#test/postgres.ts";
import { makeProductionFolder } from "#test/server/production-folder.ts";
import { openCustomers } from "./customer.ts";
import { settingsOfPage, writeFiles } from "./going-live-page.ts";
import type { LiveCore, OpenCore } from "./live-cores.ts";
import { issuerName, redirectUri, tppOf, tppSubject } from "./live-tpp.ts";
import { openFramework } from "./trust-framework.ts";

/**
 * Opens the bank on PostgreSQL with a core. Close it when done. `start` runs the bank and its
 * operators' commands; the default runs the checkout.
 */
export async function openLiveBank(openCore: OpenCore, start = startCommand) {
  const databaseRoot = await makeAuthority("Database root");
  const [postgres, folder, framework, customers] = await Promise.all([
    startPostgres({ tls: await databaseRoot.issue("localhost") }),
    makeProductionFolder(),
    openFramework(),
    openCustomers(),
  ]);
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const [publicPort, mtlsPort, managementPort] = ports;
  const addresses = {
    publicUrl: `https://localhost:${publicPort}`,
    mtlsUrl: `https://localhost:${mtlsPort}`,
    managementUrl: `http://127.0.0.1:${managementPort}`,
  };
  const core: LiveCore = await openCore(addresses.publicUrl, folder);
  // before the bank reads the list for the first time
  const revoked = await framework.issueClient(tppSubject);
  framework.revoke(revoked);
  await writeFiles({ folder, framework, issuerName, databaseRoot: databaseRoot.cert });
  const places = { "/etc/aldgate": folder.path, ...core.places };
  const written = settingsOfPage(core.settings, places);
  const database = new URL(await postgres.createDatabase(`going_live_${process.pid}`));
  database.hostname = "localhost";
  database.search = new URL(present(written.DATABASE_URL, "the page's DATABASE_URL")).search;
  // only the page's addresses are replaced, and its networks for a private directory are added
  const environment: Record<string, string> = {
    ...written,
    ...core.environment,
    ALDGATE_DATA: folder.path,
    DATABASE_URL: database.href,
    PUBLIC_HOST: "127.0.0.1",
    PUBLIC_PORT: String(publicPort),
    MTLS_PORT: String(mtlsPort),
    MANAGEMENT_PORT: String(managementPort),
    PUBLIC_URL: addresses.publicUrl,
    MTLS_URL: addresses.mtlsUrl,
    REVOCATION_NETWORKS: "127.0.0.0/8",
    REGISTRATION_NETWORKS: "127.0.0.0/8",
    LOG_LEVEL: "warn",
  };
  let bank: Running;
  const operated = new Set(["start"]);

  async function open(): Promise<void> {
    bank = start(["start"], environment);
    await bank.untilSaid(/Aldgate is open/);
  }
  async function stop(): Promise<number | null> {
    bank.child.kill("SIGTERM");
    return bank.ended;
  }

  await open();
  return {
    ...addresses,
    core,
    folder,
    environment,
    revoked,
    tpp: tppOf({ ...addresses, caPem: folder.caPem, framework }),
    /** The commands that its operators have run: `clients suspend`. */
    operated,
    open,
    /** Sends SIGTERM to the bank. Returns its exit code. */
    stop,
    /** Runs a command of the bank's operators. Returns its output. */
    async operate(...line: string[]): Promise<string> {
      const words = line.slice(0, 2).filter((word) => /^[a-z]+$/.test(word));
      operated.add(words.join(" "));
      const command = start(line, environment);
      assert.equal(await command.ended, 0, command.said());
      return command.said();
    },
    /** Stops the bank and gives it a copy of its database, or of `from`. Returns which. */
    async stopAndCopy(name: string, from?: string): Promise<string> {
      await stop();
      const url = new URL(present(environment.DATABASE_URL, "the bank's database"));
      const template = from ?? url.pathname.slice(1);
      await postgres.createDatabase(name, template);
      environment.DATABASE_URL = Object.assign(url, { pathname: `/${name}` }).href;
      return template;
    },
    /** The customer confirms and approves in a browser. Returns the token. */
    async approve(client: TppClient, scope: Scope, consentId: string): Promise<string> {
      const given = { javaScriptEnabled: false, ignoreHTTPSErrors: true };
      const customer = await customers.arrive(given);
      try {
        await customer.open(await client.authorizationUrl({ scope, consentId }));
        assert.doesNotMatch(await customer.text(), /sandbox/i);
        await core.confirm(customer);
        await customer.mark(core.accountId);
        if (!(await customer.canApprove())) await customer.goOn();
        const text = await customer.text();
        assert.match(text, /Thrift/);
        assert.doesNotMatch(text, /sandbox/i);
        // the TPP's host does not exist, so the redirect to it is read from the bank's response
        const sentBack = customer.page.waitForResponse((response) =>
          (response.headers().location ?? "").startsWith(redirectUri),
        );
        await customer.page.click("button[name=decision][value=approve]");
        const location = (await sentBack).headers().location ?? "";
        return (await client.exchangeCode(location)).access_token;
      } finally {
        await customer.leave();
      }
    },
    async close(): Promise<void> {
      await stop();
      await customers.close();
      await core.close();
      framework.close();
      await postgres.stop();
      folder.remove();
    },
  };
}

/** A production bank. */
export type LiveBank = Awaited<ReturnType<typeof openLiveBank>>;
