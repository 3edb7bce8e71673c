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

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "aldgate-sample-banks-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What runs each bank. The test adds the port and the file of its books. */
const banks: Sample[] = [
  { file: "bank.py", program: "python3", version: "--version", line: [] },
  { file: "bank.ts", program: "node", version: "--version", line: [] },
  { file: "Bank.java", program: "java", version: "--version", line: [] },
  { file: "bank.go", program: "go", version: "version", line: ["run"] },
];
type Sample = { file: string; program: string; version: string; line: string[] };

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
async function start({ file, program, line }: Sample, port: number): Promise<Running> {
  const given = [String(port), join(folder, `${file}.books`)];
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

/** Makes a call of the contract, and returns the answer. */
async function call(url: string, path: string, body: object, version = "1") {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "aldgate-contract": version },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
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

const payment = {
  paymentId: "pay-00000000000000000000000001",
  debtorAccountId: "acc-joint",
  amount: { amount: "1.00", currency: "GBP" },
  charge: null,
  creditor: {
    schemeName: "UK.OBIE.SortCodeAccountNumber",
    identification: "00190010000004",
    name: "Tom Byrne",
    secondaryIdentification: null,
  },
  endToEndId: null,
  reference: "Rent",
  localInstrument: null,
  international: null,
};
const { paymentId } = payment;
const dearer = { ...payment, amount: { amount: "9.00", currency: "GBP" } };
const later = { ...payment, paymentId: "pay-00000000000000000000000002" };
const reserved = { paymentId, state: "reserved" };
const settled = { paymentId, state: "settled", posted: true };

/** The outcome of a call about the payment. */
async function outcome(url: string, path: string, body: object): Promise<unknown> {
  const answer = await call(url, `/payments/${path}`, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return (answer.body.outcomes as unknown[])[0];
}

async function booked(url: string): Promise<unknown> {
  const answer = await call(url, "/accounts/funds", { accountIds: ["acc-joint", "acc-tom"] });
  type Row = { funds: { booked: string; available: string } };
  return (answer.body.accounts as Row[]).map(({ funds }) => [funds.booked, funds.available]);
}

for (const sample of banks) {
  const { file, program, version } = sample;
  const isPresent = spawnSync(nodeOr(program), [version], { cwd: tmpdir() }).status === 0;
  const skip = !isPresent && `${program} is not on this machine`;

  test(`a TPP pays and reads an account at the core in ${file}`, { skip }, async () => {
    const port = await freePort();
    const running = await start(sample, port);
    try {
      await payAndRead(`http://127.0.0.1:${port}`);
    } finally {
      await stop(running);
    }
  });

  test(`${file} makes a payment once, also when it is killed in between`, { skip }, async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    let running = await start(sample, port);
    try {
      assert.deepEqual(await outcome(url, "reserve", { payments: [payment] }), reserved);
      assert.deepEqual(await outcome(url, "reserve", { payments: [dearer] }), reserved);
      assert.deepEqual(await outcome(url, "execute", { payments: [payment] }), settled);
      await outcome(url, "reserve", { payments: [later] });
      await stop(running);
      running = await start(sample, port);
      assert.deepEqual(await booked(url), [
        ["249.00", "248.00"],
        ["501.00", "501.00"],
      ]);
      await call(url, "/payments/release", { paymentIds: [paymentId] });
      assert.deepEqual(await outcome(url, "execute", { payments: [payment] }), settled);
      assert.deepEqual(await outcome(url, "ask", { paymentIds: [paymentId] }), settled);
      await outcome(url, "execute", { payments: [later] });
      assert.deepEqual(await booked(url), [
        ["248.00", "248.00"],
        ["502.00", "502.00"],
      ]);
      const unknown = await call(url, "/payments/reserve", { payments: [payment] }, "2");
      assert.equal(unknown.status, 400);
      assert.match(String(unknown.body.title), /Aldgate-Contract/);
      const wrong = await call(url, "/payments/reserve", { payments: [{ paymentId: 1 }] });
      assert.deepEqual([wrong.status, wrong.body.outcome], [400, "refused"]);
    } finally {
      await stop(running);
    }
  });

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
  const files = readdirSync(join(root, "examples/banks"));
  assert.deepEqual(files.sort(), banks.map(({ file }) => file).sort());
  for (const { file, program, line } of banks) {
    const command = [program, ...line, `examples/banks/${file}`, "9090"].join(" ");
    const text = readFileSync(join(root, "examples/banks", file), "utf8");
    assert.ok(text.slice(0, 400).includes(command), `${file} begins with ${command}`);
  }
});
