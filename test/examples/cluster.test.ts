// The files in examples/cluster/ and docs/more-than-one-machine.md. `npm run soak -- cluster` runs
// them; these tests only compare.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadConfig } from "#src/config/config.ts";
import { readExample, readVariables } from "#test/cluster/example-files.ts";
import { faults } from "#test/cluster/faults.ts";
import { readRuns, runTables, table } from "#test/cluster/runs.ts";

const page = readFileSync(new URL("../../docs/more-than-one-machine.md", import.meta.url), "utf8");

/** The settings that differ from host to host, or that name files and addresses. */
const plain = /^(PATRONI_.*|PUBLIC_PORT|PUBLIC_URL|MTLS_PORT|MTLS_URL|(listen|ssl)\w*|\w+_dir)$/;

const variables = (["etcd.env", "patroni.env", "aldgate.env"] as const).flatMap((file) =>
  Object.keys(readVariables(readExample(file))),
);
/** The members of Patroni's file that have a value. */
const members = [...readExample("patroni.yml").matchAll(/^ +-? ?([a-z-]+(?:_[a-z_]+)?): +\S/gm)]
  .map(([, name = ""]) => name)
  .filter((name) => name !== "username");

test("the settings of a process in a cluster are settings that a bank may have", () => {
  const given = readVariables(readExample("aldgate.env"));
  const config = loadConfig(given) as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) assert.equal(String(config[name]), value);
});

test("the first process of the unit has the ports of its settings, and stops in time", () => {
  const unit = readExample("aldgate@.service");
  const given = readVariables(readExample("aldgate.env"));
  const ports = [...unit.matchAll(/([A-Z_]+_PORT)=(\d+)%i/g)].map(([, name, port]) => [name, port]);
  assert.deepEqual(
    ports.map(([name, port]) => [name, `${port}0`]),
    Object.entries(given).filter(([name]) => name.endsWith("_PORT")),
  );
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
  assert.ok(Number(seconds) > loadConfig({}).SHUTDOWN_SECONDS);
  const named = [...unit.matchAll(/^([A-Z]\w+)=/gm)].map(([, name = ""]) => name);
  const reasoned = named.filter((name) => page.includes(`\`${name}`));
  const usual =
    /^(Description|Wants|After|User|WorkingDirectory|EnvironmentFile|ExecStart|WantedBy)$/;
  assert.deepEqual(
    named.filter((name) => !usual.test(name)),
    reasoned,
  );
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
const skip = hasSystemd ? false : "systemd-analyze is absent";
test("systemd accepts the unit", { skip }, () => {
  const unit = fileURLToPath(new URL("../../examples/cluster/aldgate@.service", import.meta.url));
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
  const said = stderr.split("\n").filter((line) => line.includes("aldgate@"));
  assert.deepEqual([status, said], [0, []]);
});

test("the page about several machines gives the reason of each setting in its example", () => {
  assert.ok(variables.length > 20 && members.length > 20);
  const missing = [...variables, ...members].filter(
    (name) => !plain.test(name) && !page.includes(`\`${name}`),
  );
  assert.deepEqual(missing, []);
});

test("the page about several machines has a row for each fault that strikes the cluster", () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(
    rows,
    faults.map(({ name }) => name),
  );
});

test("a setting of another host names that host in place of db1, but not in lists of hosts", () => {
  const second = readVariables(readExample("etcd.env"), "db2");
  assert.equal(second.ETCD_NAME, "db2");
  assert.match(second.ETCD_INITIAL_CLUSTER ?? "", /db1=.*db2=.*db3=/);
});

test("the page about several machines shows the sums of all runs that were noted", () => {
  assert.equal(table.shown(), runTables(readRuns()));
});

test("runs add up, and the longest stop of any of them is shown", () => {
  const run = { day: "2027-03-01", acknowledged: 1200, restores: 1, findings: 0 };
  const tables = runTables([
    { ...run, seed: 1, kills: 990, failovers: 2, faults: { bank: { strikes: 1, longestStop: 3 } } },
    { ...run, seed: 2, kills: 30, failovers: 5, faults: { bank: { strikes: 2, longestStop: 1 } } },
  ]);
  assert.match(tables, /^\| 2027-03-01, seeds 1, 2 \| 1,020 \| 7 \| 2,400 \| 2 \| 0 \|$/m);
  assert.match(tables, /^\| 2 runs in all \| 1,020 \| 7 \| 2,400 \| 2 \| 0 \|$/m);
  assert.match(tables, /^\| `bank` \|.*\| 3 \| 3 s \|$/m);
  assert.match(tables, /^\| `host` \|.*\| 0 \| not struck yet \|$/m);
});
