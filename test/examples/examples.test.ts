// The programs in examples/ run against a world, each in its own language.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startCommand } from "#test/cli/running-bank.ts";
import { type Host, openWorldsHost } from "#test/worlds/worlds-bed.ts";

const root = new URL("../../", import.meta.url);
const readme = readFileSync(new URL("examples/README.md", root), "utf8");
const order = /^dp-[0-9a-z]+ ACCC\n$/;

const accounts = /^(acc-\w{16} .* GBP (Credit|Debit)\n){2}acc-qaukodbe2axxbzy1 Everyday .*\n$/;

/** What runs each example, and what it prints. */
const examples = [
  {
    program: "python3",
    version: "--version",
    line: ["examples/python/read_accounts.py"],
    prints: accounts,
  },
  {
    program: "go",
    version: "version",
    line: ["run", "examples/go/make_payment.go"],
    prints: order,
  },
  {
    program: "java",
    version: "--version",
    line: ["examples/java/MakePayment.java"],
    prints: order,
  },
  {
    program: "dotnet",
    version: "--version",
    line: ["run", "examples/dotnet/ReadAccounts.cs"],
    prints: accounts,
  },
];

let host: Host;
before(async () => {
  host = await openWorldsHost();
});
after(() => host?.close());

/** Opens a world as examples/README.md says, and returns what the command prints. */
async function openWorld(): Promise<string> {
  const command = startCommand(["worlds", "open", "--json"], {
    ALDGATE_DATA: host.folder,
    PUBLIC_PORT: new URL(host.publicUrl).port,
    MTLS_PORT: new URL(host.mtlsUrl).port,
  });
  assert.equal(await command.ended, 0, command.said());
  return command.said();
}

type Ended = { said: string; complaint: string; code: number };

/** Runs a program with a text as its standard input. */
async function run(program: string, line: readonly string[], input: string): Promise<Ended> {
  const child = spawn(program, line, {
    cwd: fileURLToPath(root),
    // nothing is downloaded, and nothing is written to the checkout
    env: { ...process.env, GOPROXY: "off", GOTOOLCHAIN: "local", PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined); // it has ended, and its message says why
  child.stdin.end(input);
  const [said, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { said, complaint, code };
}

const isPresent = (program: string, version: string): boolean =>
  spawnSync(program, [version], { cwd: tmpdir() }).status === 0;

for (const { program, version, line, prints } of examples) {
  const file = line.at(-1) ?? "";
  const skip = !isPresent(program, version) && `${program} is not on this machine`;
  test(`${file} works at a world that the command line has opened`, { skip }, async () => {
    assert.ok(readme.includes(`| ${program} ${line.join(" ")}`), "the page has its command");
    const { said, complaint, code } = await run(program, line, await openWorld());
    assert.equal(code, 0, complaint);
    assert.match(said, prints);
  });

  test(`${file} says why no world was opened`, { skip }, async () => {
    const message = "No bank answers at http://localhost:8080.";
    const error = { code: "no-bank", message, next: "./aldgate start" };
    const { complaint, code } = await run(program, line, JSON.stringify({ error }));
    assert.notEqual(code, 0);
    assert.ok(complaint.includes(message), complaint);
  });
}

test("every example has a row in this test and in examples/README.md", () => {
  const files = readdirSync(new URL("examples/", root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "README.md")
    // banks.test.ts, keycloak.test.ts, monitoring.test.ts and the soak's cluster use these
    .filter(({ parentPath: path }) => !/examples\/(banks|cluster|keycloak|monitoring)/.test(path))
    .map(({ name }) => name);
  const tested = examples.map(({ line }) => line.at(-1)?.split("/").at(-1));
  assert.deepEqual(files.sort(), tested.sort());
});
