// The sample banks in examples/banks/ each run as a core behind a sandbox.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Running, startProgram } from "#test/cli/running-bank.ts";
import { expectPassesKit } from "#test/connector/kit/sample-kit.ts";
import { freePort } from "#test/free-port.ts";
import { expectStatus, openBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";
import { type FormanceLedger, openFormanceLedger, whyNoLedger } from "./formance-ledger.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "aldgate-sample-banks-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What runs each bank. The test adds the port, and where its books are: a file, or a ledger. */
const banks: Sample[] = [
  { file: "bank.py", program: "python3", version: "--version", line: [] },
  { file: "bank.ts", program: "node", version: "--version", line: [] },
  { file: "Bank.java", program: "java", version: "--version", line: [], isAlone: true },
  { file: "bank.go", program: "go", version: "version", line: ["run"], isAlone: true },
  { file: "formance.ts", program: "node", version: "--version", line: [], hasLedger: true },
];
type Sample = {
  file: string;
  program: string;
  version: string;
  line: string[];
  /** Whether only one process may have its books. */
  isAlone?: boolean;
  hasLedger?: boolean;
};
let ledger: Promise<FormanceLedger> | undefined;
after(async () => (await ledger)?.close());

// nothing is downloaded, and nothing is written to the checkout
const goEnv = { GOPROXY: "off", GOTOOLCHAIN: "local" };
const env = { ...process.env, ...goEnv, PYTHONDONTWRITEBYTECODE: "1" };

/** The Node that runs the tests, because the one on the path may be older. */
const nodeOr = (program: string): string => (program === "node" ? process.execPath : program);

/** Builds a bank, because `go run` leaves it running when the test kills `go`. */
function buildGo(file: string): string {
  const built = join(folder, "bank");
  const words = ["build", "-o", built, `examples/banks/${file}`];
  const { status, stderr } = spawnSync("go", words, { cwd: root, env, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return built;
}

/** Starts a bank, and waits until it is open. */
async function start(sample: Sample, port: number): Promise<Running> {
  const { file, program, line, hasLedger } = sample;
  if (hasLedger) ledger ??= openFormanceLedger();
  const books = hasLedger ? (await ledger)?.url : null;
  const given = [String(port), books ?? join(folder, `${file}.books`)];
  const [command = "", ...words] =
    program === "go"
      ? [buildGo(file), ...given]
      : [nodeOr(program), ...line, `examples/banks/${file}`, ...given];
  const running = startProgram(command, words, { cwd: root, env });
  await running.untilSaid(/Open at http/);
  return running;
}

async function stop({ child, ended }: Running): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

type Transaction = { Amount: { Amount: string } };
type Transactions = { Data: { Transaction?: Transaction[] } };
const amount = "12.34";
const isPaid = (one: Transaction): boolean => one.Amount.Amount === amount;

async function payAndRead(url: string): Promise<void> {
  const bank = await openBank({ BANK_URL: url });
  try {
    const client = await bank.createTpp();
    const from = { customer: "nia", accounts: ["acc-nia"] };
    const lodged = await lodge(client, { amount });
    const toPay = { scope: "payments", consentId: lodged.consentId, ...from } as const;
    const { access_token: once } = await bank.approve(client, toPay);
    await untilStatus(client, "domestic-payment", await order(client, lodged, once), "ACCC");
    const toRead = { scope: "accounts", consentId: await lodgeAccess(client), ...from } as const;
    const { access_token: token } = await bank.approve(client, toRead);
    const path = "/v4.0/aisp/accounts/acc-nia/transactions";
    // the core sends its facts when it is asked, about once a second
    const read = () => client.call<Transactions>({ path, token });
    const answer = await until(read, ({ status, body }) => {
      return status !== 200 || (body.Data.Transaction ?? []).some(isPaid);
    });
    expectStatus(answer, 200);
  } finally {
    await bank.close();
  }
}

for (const sample of banks) {
  const { file, program, version } = sample;
  const isPresent = spawnSync(nodeOr(program), [version], { cwd: tmpdir() }).status === 0;
  const skip = isPresent ? sample.hasLedger && whyNoLedger : `${program} is not on this machine`;

  test(`a TPP pays and reads an account at the core in ${file}`, { skip }, async () => {
    const port = await freePort();
    const running = await start(sample, port);
    try {
      await payAndRead(`http://127.0.0.1:${port}`);
    } finally {
      await stop(running);
    }
  });

  const alone = `${file} does not start twice on the same books`;
  if (sample.isAlone) {
    test(alone, { skip }, async () => {
      const running = await start(sample, await freePort());
      try {
        await assert.rejects(start(sample, await freePort()), /another core is using/);
      } finally {
        await stop(running);
      }
    });
  }

  test(`${file} passes every case that ./aldgate bank test asks it`, { skip }, async () => {
    const port = await freePort();
    let running = await start(sample, port);
    try {
      await expectPassesKit(`http://127.0.0.1:${port}`, async () => {
        await stop(running);
        running = await start(sample, port);
      });
    } finally {
      await stop(running);
    }
  });
}

test("every sample bank has a row in this test, and its command at its beginning", () => {
  const files = readdirSync(join(root, "examples/banks")).filter((file) => file !== "bank.json");
  assert.deepEqual(files.sort(), banks.map(({ file }) => file).sort());
  for (const { file, program, line } of banks) {
    const command = [program, ...line, `examples/banks/${file}`, "9090"].join(" ");
    const text = readFileSync(join(root, "examples/banks", file), "utf8");
    assert.ok(text.slice(0, 400).includes(command), `${file} begins with ${command}`);
  }
});
