import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { configSchema } from "#src/config/config.ts";
import { freePort } from "#test/free-port.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";
import { makeProductionFolder } from "./production-folder.ts";
import { runCommand } from "./run-command.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres?.stop());

test("a port in use gets a message with a way out, and exit code 1", async () => {
  const folder = await makeProductionFolder();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const taken = (other.address() as AddressInfo).port; // a TCP server has this kind of address
  const free = await freePort();
  const environment = {
    ...folder.environment,
    DATABASE_URL: await postgres.createDatabase(`ports_${process.pid}`),
    MANAGEMENT_PORT: "0",
  };
  try {
    for (const [key, ports] of [
      ["PUBLIC_PORT", { PUBLIC_PORT: String(taken), MTLS_PORT: String(free) }],
      ["MTLS_PORT", { PUBLIC_PORT: String(free), MTLS_PORT: String(taken) }],
      [
        "MANAGEMENT_PORT",
        { PUBLIC_PORT: String(free), MTLS_PORT: "0", MANAGEMENT_PORT: String(taken) },
      ],
    ] as const) {
      const { code, complained } = await runCommand("start", { ...environment, ...ports });
      assert.equal(code, 1);
      const [, message = ""] = complained.split("\n"); // the first line names the activity
      assert.equal(
        message,
        `Port ${taken} is taken by another program. Stop that program, or choose another port: ` +
          `${key}=${taken + 1} npm start`,
      );
    }
    // before a new sandbox is filled, which takes some seconds
    const data = join(folder.path, "sandbox");
    const started = await runCommand("start", { ALDGATE_DATA: data, PUBLIC_PORT: String(taken) });
    assert.equal(started.code, 1);
    assert.match(started.complained, new RegExp(`^Port ${taken} is taken`, "m"));
    assert.equal(existsSync(data), false);
    const sandbox = { ALDGATE_DATA: folder.path };
    const { code, complained } = await runCommand(`bank serve --port ${taken}`, sandbox);
    assert.equal(code, 1);
    assert.match(complained, new RegExp(`choose another port: --port ${taken + 1}$`, "m"));
  } finally {
    other.close();
    folder.remove();
  }
});

test("the message about an unavailable PostgreSQL names its host and the reason", async () => {
  const folder = await makeProductionFolder();
  try {
    const { code, complained } = await runCommand("start", folder.environment);
    assert.equal(code, 1);
    assert.match(
      complained,
      /^PostgreSQL is not available \(127\.0\.0\.1:1: .*ECONNREFUSED.*\)\. /m,
    );
  } finally {
    folder.remove();
  }
});

test("an unknown command exits with 2 and says how to list the known ones", async () => {
  const { code, complained } = await runCommand("dance");
  assert.equal(code, 2);
  assert.match(complained, /Unknown command "dance"\. .*--help/);
});

test("a command with wrong arguments exits with 2 and shows its usage", async () => {
  const { code, complained } = await runCommand("tpp token");
  assert.equal(code, 2);
  assert.match(complained, /tpp token DIR accounts\|payments/);
});

test("--version and -v print the version of the package, and need no settings", async () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const line of ["--version", "-v"]) {
    const { code, printed } = await runCommand(line, { PUBLIC_PORT: "none" });
    assert.deepEqual([code, printed], [0, version], line);
  }
  const { printed } = await runCommand("--version --json");
  assert.deepEqual(JSON.parse(printed), { version });
});

test("help lists every command", async () => {
  const { code, printed } = await runCommand("--help");
  assert.equal(code, 0);
  for (const name of ["start", "demo", "tpp create", "verify", "routes", "openapi", "config"]) {
    assert.match(printed, new RegExp(`^ {2}${name} `, "m"));
  }
});

test("every command and every group of commands has help", async () => {
  for (const line of ["tpp --help", "tpp -h", "tpp help", "help tpp"]) {
    const { code, printed } = await runCommand(line);
    assert.equal(code, 0, line);
    for (const name of ["tpp create", "tpp token", "tpp sign", "tpp authorise"]) {
      assert.match(printed, new RegExp(`^ {2}${name} `, "m"), line);
    }
    assert.doesNotMatch(printed, /^ {2}verify /m);
  }
  const names = ["start", "demo", "tpp create", "tpp token", "tpp sign", "tpp authorise"];
  names.push("tpp register", "tpp lint", "clients");
  for (const name of [...names, "verify", "routes", "openapi", "migrate", "seed", "config"]) {
    for (const line of [`${name} --help`, `${name} -h`, `help ${name}`]) {
      const { code, printed } = await runCommand(line);
      assert.equal(code, 0, line);
      assert.ok(printed.startsWith(`${name}: `), line);
    }
  }
});

test("the help of `act` has in brackets only what an act can be done without", async () => {
  const { printed } = await runCommand("act --help");
  assert.match(printed, / act pay-in ACCOUNT_ID --amount AMOUNT \[--name NAME\] \[--reference/);
  assert.match(printed, / act delay ORDER_ID --by BY$/m);
  assert.match(printed, / act refuse ORDER_ID \[--reason REASON\]$/m);
});

test("a group without a command, or with an unknown one, exits with 2 and lists its commands", async () => {
  for (const line of ["tpp", "tpp dance"]) {
    const { code, complained } = await runCommand(line);
    assert.equal(code, 2, line);
    assert.match(complained, /tpp create, tpp token, tpp sign, tpp authorise/);
  }
});

test("a command does not fail if its reader leaves after the first line", async () => {
  const main = new URL("../../src/main.ts", import.meta.url).pathname;
  const script = `"$0" "$1" openapi aisp-v3.1 | head -c 1 > /dev/null; echo "\${PIPESTATUS[0]}"`;
  const ended = spawnSync("bash", ["--norc", "-c", script, process.execPath, main], {
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  assert.deepEqual([ended.stdout.trim(), ended.stderr], ["0", ""]);
});

test("config prints the current configuration and masks secrets", async () => {
  const names = Object.keys(configSchema.properties).filter((name) => name.endsWith("_TOKEN"));
  const tokens = Object.fromEntries(
    names.map((name) => [name, "a-token-of-more-than-32-characters"]),
  );
  assert.ok(names.length >= 3);
  const { code, printed } = await runCommand("config", {
    COOKIE_SECRET: "gG7c1yq0Zs2mX9vBn4KdTf8WpRjLhEa3",
    DATABASE_URL: "postgres://bank:hunter2@db.example:5432/bank",
    PUBLIC_PORT: "9090",
    ...tokens,
    ATTACHED_DATA_KEYS: `a=${"0123456789abcdef".repeat(4)}`,
  });
  assert.equal(code, 0);
  for (const name of [...Object.keys(tokens), "ATTACHED_DATA_KEYS"]) {
    assert.ok(printed.includes(`${name}=(set)\n`), name);
  }
  assert.match(printed, /^PUBLIC_PORT=9090$/m);
  assert.match(printed, /^MTLS_PORT=8443$/m);
  assert.match(printed, /^COOKIE_SECRET=\(set\)$/m);
  assert.match(printed, /^DATABASE_URL=postgres:\/\/bank:…@db\.example:5432\/bank$/m);
  assert.doesNotMatch(printed, /gG7c|hunter2|a-token|0123456789abcdef/);
});

test("config masks a password with an @ or a : in it, and one in the query", async () => {
  for (const url of [
    "postgres://bank:hun@ter2@db.example/bank",
    "postgres://bank:hun:ter2@db.example/bank",
    "postgres://db.example/bank?user=bank&password=hunter2",
  ]) {
    const { printed } = await runCommand("config", { DATABASE_URL: url });
    assert.doesNotMatch(printed, /ter2/, url);
  }
});
