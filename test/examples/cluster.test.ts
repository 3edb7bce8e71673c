// The files in examples/cluster/ and docs/more-than-one-machine.md. `npm run soak -- cluster` runs
// them; these tests only compare.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadConfig } from "#src/config/config.ts";
import { readExample, readVariables } from "#test/cluster/example-files.ts";
import { faults } from "#test/cluster/faults.ts";

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
