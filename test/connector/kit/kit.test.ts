import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readBankFile } from "#src/connector/kit/bank-file.ts";
import {
  type CaseResult,
  type KitRun,
  kitGroups,
  kitIds,
  runKit,
} from "#src/connector/kit/run-kit.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import { openRequestSigner } from "#src/connector/sign-request.ts";
import { makeAuthority } from "#test/http/certificates.ts";
import { runCommand } from "#test/server/run-command.ts";
import { attachingCore } from "./attaching-core.ts";
import { serveBroken } from "./broken-core.ts";
import { brokenCores } from "./broken-cores.ts";
import {
  bankFile,
  type OpenedCore,
  openCore,
  type Served,
  serve,
  serveAsIs,
  withKitFacts,
} from "./served-core.ts";

const deadlinesMs = {
  identify: 5000,
  read: 5000,
  document: 5000,
  quote: 5000,
  execute: 10_000,
  tell: 5000,
};

let opened: OpenedCore;
before(async () => {
  opened = await openCore();
});
after(() => opened?.close());

const began = Temporal.Now.instant();

/** Releases what a broken core has left reserved, because all have one database. */
async function releaseAll(): Promise<void> {
  const { bank } = opened.core;
  for (let after: string | null = null; ; ) {
    const page: { paymentId: string }[] = (await bank.listPayments?.(began, after)) ?? [];
    if (page.length === 0) return;
    await bank.release(page.map(({ paymentId }) => paymentId));
    after = page.at(-1)?.paymentId ?? null;
  }
}

async function runAgainst(served: Served, more: Partial<KitRun> = {}): Promise<CaseResult[]> {
  try {
    const { all } = await runKit({
      url: served.url,
      sign: null,
      file: bankFile,
      deadlinesMs,
      isWanted: () => true,
      async run([command, answer = "", challengeId = ""]) {
        if (command === "app") await opened.app(answer, challengeId);
        else await served.restart();
        return "";
      },
      seed: 7,
      onResult: () => undefined,
      ...more,
    });
    return all;
  } finally {
    await served.close();
  }
}

const listed = (results: readonly CaseResult[], result: CaseResult["result"]) =>
  results.filter((one) => one.result === result);

test("the sandbox's bank over HTTP passes every case that it is asked", async () => {
  const results = await runAgainst(await serveAsIs(opened.core));
  const others = results.filter(({ result }) => result !== "passed");
  // as it is served, the sandbox's bank has no passkeys, no limits of its own, and nobody to tell
  const lacks = (call: string) => `the core does not list ${call} in /about`;
  const byCode = "the core's challenges are code";
  assert.deepEqual(
    others.map(({ id, notes, failure }) => ({ id, notes, failure })),
    [
      ["K1-16", "BANK_CERTIFICATE is not set"],
      ["K1-17", "BANK_SIGNING_KEY is not set"],
      ["K1-18", "BANK_SIGNING_KEY is not set"],
      ["K1-19", "BANK_SIGNING_KEY is not set"],
      ["K2-21", byCode],
      ["K2-22", byCode],
      ["K2-23", byCode],
      ["K11-14", lacks("assess")],
      ["K11-15", lacks("tell")],
      ["K11-17", lacks("assessOrder")],
      ["K12-01", lacks("assess")],
      ["K12-02", lacks("assess")],
      ["K12-03", lacks("assess")],
      ["K12-04", lacks("assess")],
    ].map(([id, note]) => ({ id, notes: [note], failure: null })),
  );
});

test("a core that attaches data to consents passes the cases about them", async () => {
  const served = await serve(() => serveCore(attachingCore(opened.core)));
  const results = await runAgainst(served, { isWanted: (_case, { id }) => id === "K12" });
  assert.deepEqual(
    results.map(({ id, result }) => [id, result]),
    ["K12-01", "K12-02", "K12-03", "K12-04"].map((id) => [id, "passed"]),
  );
});

for (const broken of brokenCores) {
  const { name, caughtBy, also = [], groups } = broken;
  test(`a core that ${name} fails ${caughtBy}`, async () => {
    const core = withKitFacts(opened.core);
    const results = await runAgainst(await serve(() => serveBroken(core, broken)), {
      file: { ...bankFile, factsWithinSeconds: 0.3 },
      isWanted: ({ id }, group) => groups.includes(id) || groups.includes(group.id),
    });
    await releaseAll();
    const failed = listed(results, "failed").map(({ id }) => id);
    assert.deepEqual(failed.sort(), [caughtBy, ...also].sort());
  });
}

/** A bank.json in a folder that is removed afterwards. */
function writeBankFile(value: unknown): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-kit-"));
  const path = join(folder, "bank.json");
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return { folder, path };
}

const { restart: _, app: _app, ...fileForCommands } = bankFile;

test("bank test writes reports and records, without the passwords of bank.json", async () => {
  const served = await serveAsIs(opened.core);
  const { folder, path } = writeBankFile({ ...fileForCommands, skip: { "K3-02": "it is slow" } });
  const line = `bank test ${served.url} --bank ${path} --only accounts --case K2-01`;
  const files = `--junit ${folder}/report.xml --html ${folder}/report.html --record ${folder}/all`;
  const { code, printed } = await runCommand(`${line} ${files}`);
  await served.close();
  assert.equal(code, 0, printed);
  assert.match(printed, /^passed {4}K2-01 {2}the right login and password give the customer$/m);
  assert.match(printed, /^not asked K3-02 .*\(bank\.json: it is slow\)$/m);
  assert.match(printed, /25 cases passed, 0 failed, 1 not asked\.$/);
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  assert.match(
    read("report.xml"),
    /<testsuite name="accounts" tests="25" failures="0" skipped="1"/,
  );
  assert.match(read("report.html"), /K3-01<\/b> the accounts of bank\.json are listed/);
  const recorded = read("all/K2-01.json");
  assert.match(recorded, /"path": "\/customers\/authenticate"/);
  for (const text of [recorded, read("report.html"), printed]) {
    assert.doesNotMatch(text, /kitone-sandbox/);
  }
  rmSync(folder, { recursive: true });
});

test("a failure says what was expected, what came, the rule and the request", async () => {
  const broken = brokenCores.find(({ caughtBy }) => caughtBy === "K3-20");
  assert.ok(broken);
  const served = await serve(() => serveBroken(opened.core, broken));
  const { folder, path } = writeBankFile(fileForCommands);
  const line = `bank test ${served.url} --bank ${path} --case K3-20 --seed 7`;
  const asText = await runCommand(`${line} --junit ${folder}/report.xml`);
  const asJson = await runCommand(`${line} --json`);
  await served.close();
  assert.deepEqual([asText.code, asJson.code], [1, 1]);
  assert.match(asText.printed, /^FAILED {4}K3-20 {2}the smallest amount is covered$/m);
  assert.match(asText.printed, /expected {2}an answer to confirmFunds that fits the contract$/m);
  assert.match(asText.printed, /came {6}\/isCovered must be boolean$/m);
  assert.match(asText.printed, /rule {6}confirmFunds says whether/);
  assert.match(
    asText.printed,
    /request {3}curl -X POST 'http.*\/accounts\/confirm-funds' -H 'aldgate-/,
  );
  const [item, counts] = asJson.printed.split("\n").map((one) => JSON.parse(one));
  assert.equal(item.failure.came, "/isCovered must be boolean");
  assert.deepEqual(item.operations, ["confirmFunds"]);
  assert.deepEqual(counts, { passed: 0, failed: 1, notAsked: 0, seed: 7 });
  assert.match(readFileSync(join(folder, "report.xml"), "utf8"), /<failure message="expected an/);
  rmSync(folder, { recursive: true });
});

test("the kit calls a core with mutual TLS and signs its requests, also those that it cuts", async () => {
  const authority = await makeAuthority("The bank's own authority");
  const [server, client] = [await authority.issue("localhost"), await authority.issue("Aldgate")];
  const { folder } = writeBankFile("");
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const unsigned: string[] = [];
  const tls = { cert: server.cert, key: server.key, ca: authority.cert };
  const served = await serve(() => {
    const app = serveCore(opened.core, { tls });
    app.addHook("preHandler", async ({ url, headers }) => {
      if (headers["aldgate-signature"] === undefined) unsigned.push(url);
    });
    return app;
  });
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const results = await runAgainst(served, {
    url: served.url.replace("127.0.0.1", "localhost"),
    rootsFile: file("roots.pem", authority.cert),
    certificateFile: file("client.pem", client.cert),
    keyFile: file("client.key.pem", client.key),
    sign: await openRequestSigner(file("signing.pem", pem), () => Temporal.Now.instant()),
    isWanted: ({ id }) => ["K1-01", "K5-04", "K5-06", "K5-10", "K5-12"].includes(id),
  });
  rmSync(folder, { recursive: true });
  assert.deepEqual(listed(results, "passed").map(({ id }) => id).length, 5);
  assert.deepEqual(unsigned, []);
});

const wrongFiles: [string, unknown, RegExp][] = [
  ["that is not JSON", "{", /bank\.json is not JSON/],
  [
    "without accounts",
    { ...bankFile, accounts: undefined },
    /must have required properties accounts/,
  ],
  [
    "with one customer",
    { ...bankFile, customers: bankFile.customers.slice(1) },
    /\/customers must not have fewer than 2 items/,
  ],
  ["with a number as amount", { ...bankFile, mayBeSpent: 5 }, /\/mayBeSpent must be string/],
  [
    "that skips an unknown case",
    { ...bankFile, skip: { "K4-99": "not here" } },
    /\/skip\/K4-99 is/,
  ],
  ["that skips without a reason", { ...bankFile, skip: { "K4-01": "" } }, /\/skip\/K4-01 must not/],
  [
    "with one account twice",
    { ...bankFile, accounts: { own: "a", other: "a" } },
    /\/accounts\/other must be another account/,
  ],
  ["with a member that is unknown", { ...bankFile, acounts: {} }, /\/acounts is not a member/],
];
for (const [what, value, message] of wrongFiles) {
  test(`bank test ends with 2 for a file ${what}, and names it`, async () => {
    const { folder, path } = writeBankFile(value);
    const { code, complained } = await runCommand(`bank test http://127.0.0.1:1 --bank ${path}`);
    rmSync(folder, { recursive: true });
    assert.equal(code, 2);
    assert.match(complained, message);
  });
}

test("bank test ends with 2 if the core cannot be reached, or an argument is wrong", async () => {
  const { folder, path } = writeBankFile(bankFile);
  const lines: [string, RegExp][] = [
    [`http://127.0.0.1:1 --bank ${path}`, /The core cannot be reached: GET http:.*\/about/],
    [`http://core.example --bank ${path}`, /must begin with https/],
    [`http://127.0.0.1:1 --bank ${path} --only gold`, /There is no group "gold"/],
    [`http://127.0.0.1:1 --bank ${path} --case K4-99`, /There is no case "K4-99"/],
    [`http://127.0.0.1:1 --bank ${folder}/none.json`, /none\.json cannot be read \(ENOENT\)/],
    ["", /Name the URL/],
  ];
  for (const [line, message] of lines) {
    const { code, complained } = await runCommand(`bank test ${line}`.trim());
    assert.equal(code, 2, line);
    assert.match(complained, message);
  }
  rmSync(folder, { recursive: true });
});

test("a core is not asked for what it lacks, and that never counts as passed", async () => {
  const { core } = opened;
  const about = { parts: ["account-access", "balances"] as const };
  const served = await serveAsIs({ ...core, bank: { ...core.bank, about } });
  const results = await runAgainst(served, {
    isWanted: (_one, { name }) => ["money", "services", "accounts"].includes(name),
  });
  const money = results.filter(({ group }) => group === "money");
  assert.deepEqual([...new Set(money.map(({ result }) => result))], ["not asked"]);
  assert.match(money[0]?.notes.join() ?? "", /the core has no domestic-payment or any other part/);
  const asked = results.filter(({ result }) => result !== "not asked");
  assert.ok(asked.some(({ group }) => group === "accounts"));
  assert.deepEqual(listed(asked, "failed"), []);
});

test("if the answer to about does not fit the contract, the kit asks only about it", async () => {
  const served = await serve(() => {
    const app = serveCore(opened.core);
    app.addHook("onSend", async ({ url }, _reply, body) => (url === "/about" ? "{}" : body));
    return app;
  });
  const results = await runAgainst(served, { isWanted: (_one, { id }) => id === "K1" });
  const failed = listed(results, "failed").map(({ id }) => id);
  assert.deepEqual(failed, ["K1-01"]);
  assert.match(results[4]?.notes.join() ?? "", /the answer to GET \/about does not fit/);
});

test("the cases of each group are numbered without a gap", () => {
  for (const { id, cases } of kitGroups) {
    const numbers = cases.map((_one, index) => `${id}-${String(index + 1).padStart(2, "0")}`);
    assert.deepEqual(
      cases.map((one) => one.id),
      numbers,
    );
  }
});

test("the bank.json of docs/own-core.md can be read", () => {
  const page = readFileSync(new URL("../../../docs/own-core.md", import.meta.url), "utf8");
  const [, example = ""] = /`bank\.json`:\n\n```json\n(.+?)```/s.exec(page) ?? [];
  const { folder, path } = writeBankFile(example);
  assert.equal(readBankFile(path, kitIds).accounts.own, "acc-1");
  rmSync(folder, { recursive: true });
});
