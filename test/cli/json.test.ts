import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { runCli } from "#src/cli/main.ts";
import { systemClock } from "#src/lib/clock.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { type CommandResult, runCommand } from "#test/server/run-command.ts";
import { type Names, untilSignal, withBank, withoutBank } from "./json-rows.ts";
import { makePlace, type Place, skipReason } from "./running-bank.ts";

type Help = {
  name: string;
  usage: string;
  json: Record<string, string | string[]>;
  hasItems: boolean;
  next: { command: string; what: string }[];
};

/** A command that runs until it is closed. */
type Open = { first: unknown; printed: string[]; close(): Promise<number> };

/** Runs a command until it has printed something. */
async function open(words: string[], environment: Record<string, string>): Promise<Open> {
  const printed: string[] = [];
  const complained: string[] = [];
  const handlers: ((signal: "SIGTERM") => void)[] = [];
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const ended = runCli({
    arguments: words,
    environment,
    clock: systemClock,
    isTerminal: false,
    kinds: async () => paymentKinds,
    print(text) {
      printed.push(text);
      resolve();
    },
    complain: (text) => void complained.push(text),
    onSignal: (handler) => void handlers.push(handler),
  });
  await Promise.race([begun, ended.then((code) => assert.fail(`${code} ${complained}`))]);
  return {
    first: JSON.parse(printed[0] ?? ""),
    printed,
    close() {
      for (const handler of handlers) handler("SIGTERM");
      return ended;
    },
  };
}

const asked = async (line: string, environment = {}): Promise<unknown> => {
  const { code, printed, complained } = await runCommand(`${line} --json`, environment);
  assert.equal(code, 0, `${line}: ${printed}${complained}`);
  return JSON.parse(printed);
};

const listed = (await asked("help")) as { commands: { name: string }[] };
const names = listed.commands.map(({ name }) => name);
const helps = new Map<string, Help>();
for (const name of names) helps.set(name, (await asked(`help ${name}`)) as Help);

test("every command has a row in json-rows.ts for each list of members that its help has", () => {
  const rows = [withoutBank, withBank];
  for (const [name, { json }] of helps) {
    const runs = rows.flatMap((by) => by[name] ?? []);
    const isOpen = name in untilSignal || name === "start";
    assert.ok(isOpen || runs.length > 0, `${name} has no row`);
    const covered = runs.map(({ prints }) => prints);
    const lists = Object.keys(json).filter((word) => Array.isArray(json[word]));
    for (const word of lists) assert.ok(covered.includes(word), `${name} ${word} has no row`);
  }
  for (const name of rows.flatMap(Object.keys)) assert.ok(names.includes(name), name);
});

test("the help of every command ends with the commands that usually follow", async () => {
  for (const [name, { next }] of helps) {
    const { printed } = await runCommand(`${name} --help`);
    const end = printed.slice(printed.lastIndexOf("\nNext:\n"));
    assert.ok(end.startsWith("\nNext:\n"), name);
    assert.equal(end.trim().split("\n").length, next.length + 1, name);
    for (const { command, what } of next) {
      assert.ok(end.includes(command) && end.includes(what), `${name}: ${command}`);
      const words = command.replace(/^\.\/aldgate /, "");
      const follows = names.some((one) => words === one || words.startsWith(`${one} `));
      assert.ok(follows, `${name}: there is no command ${command}`);
    }
  }
});

test("docs/command-line.md is the page that `npm run commands` writes", async () => {
  const { printed } = await runCommand("help --reference");
  assert.equal(
    readFileSync(new URL("../../docs/command-line.md", import.meta.url), "utf8"),
    `${printed}\n`,
  );
  for (const name of names) assert.ok(printed.includes(`\n## ${name}\n`), name);
});

/** Checks the output of a command against what its help says. */
function checkPrinted(name: string, prints: string, { printed, complained }: CommandResult): void {
  const help = helps.get(name);
  const members = help?.json[prints];
  assert.ok(members !== undefined, `the help of ${name} has no row "${prints}"`);
  if (help?.hasItems && prints !== "ID") {
    for (const line of printed.split("\n").filter(Boolean)) {
      assert.ok(typeof JSON.parse(line) === "object", line);
    }
    return;
  }
  let document: object;
  try {
    document = JSON.parse(printed);
  } catch {
    assert.fail(`${name} printed ${printed}, and on stderr: ${complained}`);
  }
  if (!Array.isArray(members)) return;
  const may = members.map((member) => member.replace("?", ""));
  const must = members.filter((member) => !member.endsWith("?"));
  const found = Object.keys(document);
  assert.deepEqual(
    found.filter((key) => !may.includes(key)),
    [],
    `${name} ${prints}: ${printed}`,
  );
  assert.deepEqual(
    must.filter((key) => !found.includes(key)),
    [],
    `${name} ${prints}: ${printed}`,
  );
}

suite("--json", { skip: skipReason }, () => {
  let place: Place;
  let bank: Open;
  let given: Names;
  const work = mkdtempSync(join(tmpdir(), "aldgate-json-"));
  const run = (line: string, more = {}): Promise<CommandResult> =>
    runCommand(line, { ...place.environment, ...more });

  before(async () => {
    place = await makePlace();
  });
  after(async () => {
    await bank?.close();
    place?.remove();
    rmSync(work, { recursive: true, force: true });
  });

  function testAll(rows: typeof withBank): void {
    for (const [name, runs] of Object.entries(rows)) {
      test(`${name} --json prints what its help says`, async () => {
        for (const { line, prints, code, environment } of runs) {
          const typed = line(given);
          const result = await run(`${typed} --json`, environment);
          const why = `${typed}: ${result.printed}${result.complained}`;
          assert.equal(result.code, code, why);
          checkPrinted(name, prints, result);
        }
      });
    }
  }

  testAll(withoutBank);

  test("start prints one line when the bank is open", async () => {
    bank = await open(["start", "--json"], place.environment);
    const { customers, data, publicUrl } = bank.first as Record<string, unknown>;
    assert.equal(publicUrl, place.publicUrl);
    assert.equal(data, place.folder);
    assert.ok(Array.isArray(customers) && customers.includes("amara"));
    assert.equal(bank.printed.length, 1);
    given = await prepare(work, place.environment);
  });

  test("commands that run until a signal print lines of JSON", async () => {
    for (const [name, line] of Object.entries(untilSignal)) {
      const opened = await open(`${line(given)} --json`.split(" "), place.environment);
      assert.ok(Object.keys(opened.first as object).length > 0, name);
      assert.equal(await opened.close(), 0, name);
      for (const text of opened.printed) JSON.parse(text);
    }
  });

  testAll(withBank);

  test("every command reports wrong arguments as JSON, with the command that helps", async () => {
    for (const name of names) {
      const { code, printed, complained } = await run(`${name} --nonsense --json`);
      assert.equal(code, 2, `${name}: ${complained}`);
      const { error } = JSON.parse(printed) as { error: Record<string, string> };
      assert.equal(error.code, "usage", name);
      assert.match(error.message ?? "", /nonsense/);
      assert.equal(error.next, `./aldgate ${name} --help`);
      assert.equal(complained, "", name);
    }
  });

  test("an error names what is allowed, and keeps the exit code that it has as text", async () => {
    const rows: [line: string, code: number, error: object][] = [
      ["nothing", 2, { code: "unknown-command", allowed: names }],
      ["tpp nothing", 2, { code: "unknown-command" }],
      ["tpp create --auth basic", 2, { allowed: ["tls_client_auth", "private_key_jwt"] }],
      [`tpp token ${given.tpp} money`, 2, { code: "usage" }],
      ["worlds nothing", 2, { code: "usage" }],
      ["explain no-such-id", 1, { code: "refused" }],
      [`tpp sign ${given.tpp} ${work}/none.json`, 1, { code: "no-file" }],
      ["seed", 1, { code: "folder-in-use" }],
    ];
    for (const [line, code, expected] of rows) {
      const asJson = await run(`${line} --json`);
      const asText = await run(line);
      assert.deepEqual([asJson.code, asText.code], [code, code], line);
      const { error } = JSON.parse(asJson.printed) as { error: Record<string, unknown> };
      for (const [key, value] of Object.entries(expected))
        assert.deepEqual(error[key], value, line);
      assert.ok(asText.complained.includes(String(error.message)), line);
      assert.equal(asText.printed, "", line);
    }
    const away = { ...place.environment, PUBLIC_PORT: "1" };
    const { printed } = await runCommand("customers --json", away);
    assert.equal(JSON.parse(printed).error.code, "no-bank");
    assert.equal(JSON.parse(printed).error.next, "./aldgate start");
    const unset = await runCommand("config --json", { ALDGATE_NONSENSE: "1" });
    assert.match(JSON.parse(unset.printed).error.faults[0], /ALDGATE_NONSENSE/);
  });
});

/** Makes the TPPs, the consents and the files that the rows use. */
async function prepare(work: string, environment: Place["environment"]): Promise<Names> {
  const [tpp, other] = [join(work, "tpp"), join(work, "other")];
  const [file, customer] = [join(work, "body.json"), join(work, "customer.json")];
  const { clientId, bank } = (await asked(`tpp create --out ${tpp}`, environment)) as {
    clientId: string;
    bank: BankAddress;
  };
  const { clientId: otherId } = (await asked(`tpp register ${other}`, environment)) as {
    clientId: string;
  };
  writeFileSync(file, '{"Data":{}}');
  const accounts = [{ key: "main", type: "CurrentAccount", balance: "10.00" }];
  writeFileSync(customer, JSON.stringify({ login: "json", name: "Jay Son", accounts }));
  const credentials = JSON.parse(readFileSync(join(tpp, "tpp.json"), "utf8"));
  const client = new TppClient({ ...bank, operations: listOperations(paymentKinds) }, credentials);
  try {
    const consents = [];
    for (let count = 0; count < 4; count += 1) consents.push(await createConsent(client));
    const [undecided = "", ...more] = consents;
    const { printed } = await runCommand("logs --limit 1 --json", environment);
    const { interactionId: requestId } = JSON.parse(printed) as { interactionId: string };
    const fresh = join(work, "fresh");
    return { tpp, clientId, other, otherId, fresh, file, customer, requestId, undecided, more };
  } finally {
    client.close();
  }
}

async function createConsent(client: TppClient): Promise<string> {
  const { body } = await client.call<{ Data: { ConsentId: string } }>({
    path: "/v4.0/aisp/account-access-consents",
    token: await client.clientToken("accounts"),
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  return body.Data.ConsentId;
}
