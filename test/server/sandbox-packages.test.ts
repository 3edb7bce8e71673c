// An installation of a bank (`npm ci --omit=dev --omit=optional`) has no packages of the sandbox.
// Here a hook hides them from a process.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startCommand } from "#test/cli/running-bank.ts";
import { freePort } from "#test/free-port.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";
import { makeProductionFolder } from "./production-folder.ts";

const hook = `
import { registerHooks } from "node:module";
registerHooks({
  resolve(name, context, next) {
    if (!/^(pdfkit|@electric-sql\\/pglite)/.test(name)) return next(name, context);
    throw Object.assign(new Error("hidden: " + name), { code: "ERR_MODULE_NOT_FOUND" });
  },
});`;

let folder: string;
let hidden: Record<string, string>;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-packages-"));
  const file = join(folder, "hide.mjs");
  writeFileSync(file, hook);
  hidden = { NODE_OPTIONS: `--import ${pathToFileURL(file).href}`, ALDGATE_DATA: folder };
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const line of [["start"], ["demo"]]) {
  test(`\`${line.join(" ")}\` of a sandbox says which packages are missing and which command installs them`, async () => {
    const command = startCommand(line, { ...hidden, PUBLIC_PORT: String(await freePort()) });
    assert.notEqual(await command.ended, 0);
    assert.match(
      command.said(),
      /need @electric-sql\/pglite and pdfkit, and .* run `npm ci --omit=dev` in the folder/,
    );
    assert.doesNotMatch(command.said(), /hidden:|\.ts:\d+/);
  });
}

test("a bank in production starts without the sandbox's packages", async () => {
  const postgres: TestPostgres = await startPostgres();
  const production = await makeProductionFolder();
  const [publicPort, mtlsPort] = await Promise.all([freePort(), freePort()]);
  const bank = startCommand(["start"], {
    ...hidden,
    ...production.environment,
    DATABASE_URL: await postgres.createDatabase(`packages_${process.pid}`),
    PUBLIC_PORT: String(publicPort),
    MTLS_PORT: String(mtlsPort),
    MANAGEMENT_PORT: "0",
    PUBLIC_URL: `https://localhost:${publicPort}`,
    MTLS_URL: `https://localhost:${mtlsPort}`,
  });
  try {
    await bank.untilSaid(/Aldgate is open/);
    bank.child.kill("SIGTERM");
    assert.equal(await bank.ended, 0, bank.said());
  } finally {
    bank.child.kill("SIGKILL");
    await postgres.stop();
    production.remove();
  }
});
