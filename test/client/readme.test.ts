// The examples of packages/client/README.md, which are one program: they are compiled, and run
// against a bank, with the addresses and ids of that bank in place of the invented ones.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { standard } from "#packages/client/src/deviations.ts";
import { profiles } from "#packages/client/src/index.ts";
import { openSandbox } from "#packages/client/src/sandbox.ts";
import { loadConfig } from "#src/config/config.ts";
import { freePort } from "#test/free-port.ts";
import { openBank, type TestBank } from "#test/harness.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const source = join(root, "packages/client/src");
const readme = readFileSync(join(root, "packages/client/README.md"), "utf8");
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = ""]) => text);
const imported = /^import .*$/gm;

type Program = {
  run(print: (...parts: unknown[]) => void, before: () => Promise<void>): Promise<void>;
};

let bank: TestBank;
let folder: string;
before(async () => {
  bank = await openBank();
  folder = mkdtempSync(join(tmpdir(), "aldgate-readme-"));
});
after(async () => {
  await bank.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Joins the examples into a module. Before the last one, which closes everything, it waits. */
function program(): string {
  const all = examples.map((text) => text.replaceAll(imported, ""));
  const last = all.pop();
  return [
    ...new Set(examples.flatMap((text) => text.match(imported) ?? [])),
    "export async function run(",
    "  print: (...parts: unknown[]) => void,",
    "  before: () => Promise<void>,",
    "): Promise<void> {",
    ...all.map((text) => text.replaceAll("console.log(", "print(")),
    "await before();",
    last,
    "}",
  ].join("\n");
}

test("every example compiles with the library's types", () => {
  writeFileSync(join(folder, "examples.ts"), program());
  const compilerOptions = {
    paths: {
      "@aldgate/client": [join(source, "index.ts")],
      "@aldgate/client/sandbox": [join(source, "sandbox.ts")],
    },
    typeRoots: [join(root, "node_modules/@types")],
    rootDir: "/",
  };
  const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const done = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stdout);
});

test("every example runs, and prints what the page says", async () => {
  const sandbox = openSandbox(bank.publicUrl);
  const { api, ca, client } = await sandbox.createTpp({ profile: "fapi2" });
  const files = {
    "signing.key": String(client.signing.privateKey),
    "transport.pem": client.transport.certificate,
    "transport.key": client.transport.privateKey,
    "bank-ca.pem": ca,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const [pagePort, eventPort, pingPort] = [await freePort(), await freePort(), await freePort()];
  const invented: Record<string, string> = {
    '"@aldgate/client"': JSON.stringify(pathToFileURL(join(source, "index.ts")).href),
    '"@aldgate/client/sandbox"': JSON.stringify(pathToFileURL(join(source, "sandbox.ts")).href),
    "http://localhost:8080": bank.publicUrl,
    "https://auth.bank.example": bank.publicUrl,
    "https://rs.bank.example/open-banking": api,
    "client-id-at-the-bank": client.id,
    "0015800001041REAAY": client.organisationId,
    ZkB3hbOOdeNkGhIjKlMnOp: client.softwareId,
    "0015800001BANKAAAA": loadConfig({}).ORGANISATION_ID,
    "my-key": client.signing.keyId,
    "readFileSync(file,": `readFileSync(${JSON.stringify(`${folder}/`)} + file,`,
    "listen(3000)": `listen(${pagePort})`,
    "listen(4000)": `listen(${eventPort})`,
    "listen(5000)": `listen(${pingPort})`,
  };
  let text = program();
  for (const [name, value] of Object.entries(invented)) {
    assert.ok(text.includes(name), name);
    text = text.replaceAll(name, value);
  }
  const file = join(folder, "running.ts");
  writeFileSync(file, text);
  const { run } = (await import(pathToFileURL(file).href)) as Program;
  const printed: string[] = [];
  await run(
    (...parts) => printed.push(parts.join(" ")),
    async () => {
      // a browser that the bank's customer uses
      const page = `http://localhost:${pagePort}`;
      const sent = await fetch(`${page}/pay`, { redirect: "manual" });
      const url = sent.headers.get("location") ?? "";
      const { redirectUrl } = await sandbox.approve({ url }, { customer: "amara" });
      const back = new URL(redirectUrl);
      assert.match(await (await fetch(`${page}${back.pathname}`)).text(), /location\.hash/);
      const answer = back.hash || back.search;
      const done = await fetch(`${page}/returned`, { method: "POST", body: answer });
      assert.match(await done.text(), /^approved /);
    },
  );
  sandbox.close();
  assert.deepEqual(printed.slice(0, 2), ["ACCC", "https://tpp.example/callback"]);
  for (const expected of [/GBP$/, /(Debit|Credit)$/, /^true$/, /revoked true$/, /^400 U009 /]) {
    assert.ok(
      printed.some((line) => expected.test(line)),
      `${expected} is printed: ${printed.join("\n")}`,
    );
  }
  assert.ok(printed.includes("true"));
});

test("the page lists every profile and every deviation with the standard's value", () => {
  for (const name of Object.keys(profiles)) assert.ok(readme.includes(`| \`${name}\` |`), name);
  for (const [name, value] of Object.entries(standard)) {
    const row = readme.split("\n").find((line) => line.startsWith("|") && line.includes(name));
    assert.ok(row, name);
    const shown = JSON.stringify(value).replaceAll(",", ", ");
    assert.ok(row.includes(`\`${shown}\``) || name === "signatureKeyId", `${name}: ${row}`);
  }
});
