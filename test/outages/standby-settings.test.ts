import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startBank } from "#test/attacks/bank-process.ts";
import { freePort } from "#test/free-port.ts";
import { onPostgres, startPostgres } from "#test/postgres.ts";
import { templateName } from "#test/setup.ts";
import { until } from "#test/until.ts";

const skip = onPostgres ? false : "needs a PostgreSQL server";

test("a bank opens although no server of READ_DATABASE_URL is a standby, and tells operators why", {
  skip,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-standby-settings-"));
  const server = await startPostgres();
  const name = `standby_settings_${randomUUID().replaceAll("-", "")}`;
  const url = await server.createDatabase(name, templateName);
  const management = await freePort();
  const { host } = new URL(url);
  const bank = await startBank(folder, {
    DATABASE_URL: url,
    READ_DATABASE_URL: url,
    MANAGEMENT_PORT: String(management),
  });
  try {
    const ask = (path: string) => fetch(`http://127.0.0.1:${management}${path}`);
    const listDegraded = async (): Promise<string[]> =>
      ((await (await ask("/health/ready")).json()) as { degraded: string[] }).degraded;
    const [degraded = ""] = await until(listDegraded, ([first]) => /it is not/.test(first ?? ""));
    assert.equal(degraded, `standby ${host} (${host}: it is not a standby)`);
    const metrics = await (await ask("/metrics")).text();
    for (const line of [
      `aldgate_standby_up{server="${host}"} 0`,
      `aldgate_standby_behind_bytes{server="${host}"} 0`,
      `aldgate_standby_reads_total{server="${host}"} 0`,
      'aldgate_standby_reads_total{server="primary"} 0',
    ]) {
      assert.ok(metrics.includes(`${line}\n`), line);
    }
  } finally {
    await bank.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
