import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareOrders, type ReadyOrder } from "#bench/lib/prepare-orders.ts";
import { present } from "#src/lib/assert.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Database } from "#src/storage/database.ts";
import { describeBreach } from "#src/storage/invariants.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import type { History } from "#test/model/history.ts";
import { judgeClient } from "#test/model/judge-client.ts";
import { RecordingTpp } from "#test/model/recording-tpp.ts";
import { readOrdersOf } from "#test/payments/stored-orders.ts";
import { addPostings, fundsIn, postingsOf, sumOfBalances } from "#test/sandbox/stored-ledger.ts";
import { patienceMs } from "#test/until.ts";
import { type BankProcess, quickTakeover, startBank } from "./bank-process.ts";
import { callControl } from "./fuzz/world.ts";
import { fillDatabase } from "./kills.ts";
import { notePrepared, untilSettled } from "./order-stream.ts";
import { startServer } from "./postgres-server.ts";

/** What came of the tests: a sentence with counts for each, and what is wrong. */
export type MoneyReport = { counts: Record<string, string>; findings: string[] };

export type MoneyOptions = {
  /** Orders that are sent twice with their key. */
  pairs: number;
  /** Banks that are killed at the first 201. */
  kills: number;
  /** Payments whose sums are compared. */
  payments: number;
  history: History;
  onProgress?(text: string): void;
};

/** Each order's amount. */
const pence = 123n;
const atOnce = 40;
const lanes = 16;
const path = "/api/open-banking/v4.0/pisp/domestic-payments";

/** Two processes of a bank on one database. */
type Bed = { banks: readonly BankProcess[]; database: Database; history: History };

/** A TPP with orders that are ready, and how to send one. */
type Ready = {
  client: RecordingTpp;
  orders: ReadyOrder[];
  /** Sends an order to a bank. Null if there is no answer. */
  send(bank: BankProcess, order: ReadyOrder, key: string): Promise<Answered | null>;
};
type Answered = { status: number; orderId: string };

/** A test of money: returns what it has counted, and adds what is wrong. */
type MoneyTest = {
  name: string;
  run(bed: Bed, options: MoneyOptions, findings: string[]): Promise<string>;
};

/** The tests of money that are easy to fail: each needs a second process or a bad moment. */
const tests: readonly MoneyTest[] = [
  { name: "the same key twice at once, at two processes", run: sendTwice },
  { name: "kill -9 at the first 201, then everything again", run: killAtFirst },
  { name: "sums after many payments", run: addUp },
  // the last one, because it leaves an account without money
  { name: `${atOnce} payments at once, money for half`, run: overdraw },
];

/** Runs the tests on two processes of a bank. At the end, every invariant must hold. */
export async function testMoney(options: MoneyOptions): Promise<MoneyReport> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-money-"));
  const server = await startServer();
  const banks: BankProcess[] = [];
  const counts: Record<string, string> = {};
  const findings: string[] = [];
  try {
    const url = await server.createDatabase("bank");
    await fillDatabase(url);
    const settings = { DATABASE_URL: url, ...quickTakeover };
    // one after the other, because the first makes the keys
    for (const _ of [1, 2]) banks.push(await startBank(folder, settings));
    const database = await openPostgres(url, 2, { statementSeconds: 0, transactionSeconds: 0 });
    const bed = { banks, database, history: options.history };
    for (const { name, run } of tests) {
      const found: string[] = [];
      counts[name] = await run(bed, options, found);
      findings.push(...found.map((finding) => `${name}: ${finding}`));
      options.onProgress?.(`${name}: ${counts[name]}`);
    }
    findings.push(...(await verifyInvariants(database)).map(describeBreach));
    await database.close();
    return { counts, findings };
  } finally {
    for (const bank of banks) if (bank.isAlive()) await bank.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepare({ banks, database, history }: Bed, orders: number, debtors?: number) {
  const issuer = present(banks[0], "a bank");
  const wanted = { orders, bound: false, ...(debtors === undefined ? {} : { debtors }) };
  const prepared = await prepareOrders(
    database,
    { createTpp: (request) => callControl(issuer, "POST", "/tpps", request) },
    wanted,
  );
  const credentials = {
    ...prepared.tpp,
    tokenEndpointAuthMethod: "private_key_jwt" as const,
    certificateBound: false,
  };
  const client = new RecordingTpp(issuer, credentials, history);
  for (const order of prepared.orders) notePrepared(client, order, 3600);
  const ready: Ready = {
    client,
    orders: prepared.orders,
    async send(bank, { token, body }, key) {
      const answer = await client
        .call<{ Data: { DomesticPaymentId: string } }>({
          path: `${bank.publicUrl}${path}`,
          token,
          body,
          idempotencyKey: key,
        })
        .catch(() => null);
      if (!answer) return null;
      const orderId = answer.status === 201 ? answer.body.Data.DomesticPaymentId : "";
      return { status: answer.status, orderId };
    },
  };
  return ready;
}

/** What the ledger has paid for a TPP's orders once all that is due is done. */
async function settle({ database, history }: Bed, { client }: Ready, findings: string[]) {
  if (!(await untilSettled(database, patienceMs))) findings.push("payments are still due");
  const { clientId } = client.tpp;
  const orders = await readOrdersOf(database, { clientId });
  const ids = orders.flatMap(({ paymentId }) => paymentId ?? []);
  const postings = await postingsOf(database, ids);
  const out = postings.filter(({ purpose }) => purpose === "payment");
  if (new Set(out.map(({ paymentId }) => paymentId)).size < out.length) {
    findings.push("a payment has left its account twice");
  }
  findings.push(...(await judgeClient(history, database, clientId)));
  client.close();
  const left = out.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  return { orders: new Set(orders.map(({ orderId }) => orderId)), paid: out.length, left };
}

async function sendTwice(bed: Bed, { pairs }: MoneyOptions, findings: string[]): Promise<string> {
  const ready = await prepare(bed, pairs);
  let answered = 0;
  await inLanes(ready.orders, async (order) => {
    const key = randomUUID();
    const answers = await Promise.all(bed.banks.map((bank) => ready.send(bank, order, key)));
    const [one, other] = answers;
    if (one?.status === 201 && other?.status === 201 && one.orderId === other.orderId) {
      answered += 1;
    } else findings.push(`the answers differ: ${JSON.stringify(answers)}`);
  });
  const { orders, paid } = await settle(bed, ready, findings);
  if (orders.size !== pairs || paid !== pairs) findings.push(`${orders.size} orders, ${paid} paid`);
  return `${answered} pairs of equal answers, ${orders.size} orders, ${paid} payments`;
}

async function killAtFirst(bed: Bed, { kills }: MoneyOptions, findings: string[]): Promise<string> {
  const each = 8;
  const ready = await prepare(bed, kills * each);
  let [acknowledged, broken] = [0, 0];
  for (let round = 0; round < kills; round += 1) {
    const bank = present(bed.banks[round % bed.banks.length], "a bank");
    const sent = ready.orders
      .slice(round * each, (round + 1) * each)
      .map((order) => ({ order, key: randomUUID() }));
    let killing: Promise<void> | null = null;
    const answers = await Promise.all(
      sent.map(async ({ order, key }) => {
        const answer = await ready.send(bank, order, key);
        if (answer?.status === 201) killing ??= bank.kill();
        return answer;
      }),
    );
    await killing;
    if (!bank.isAlive()) await bank.reopen();
    for (const [index, { order, key }] of sent.entries()) {
      const before = answers[index];
      if (before?.status === 201) acknowledged += 1;
      else broken += 1;
      const again = await ready.send(bank, order, key);
      if (again?.status !== 201) findings.push(`sent again, it is answered ${again?.status}`);
      else if (before?.orderId && before.orderId !== again.orderId) {
        findings.push(`${before.orderId} was acknowledged, and then ${again.orderId}`);
      }
    }
  }
  const { orders, paid } = await settle(bed, ready, findings);
  if (orders.size !== kills * each || paid !== kills * each) {
    findings.push(`${orders.size} orders, ${paid} paid, of ${kills * each}`);
  }
  return `${kills} kills, ${acknowledged} acknowledged before and ${broken} not, ${paid} payments`;
}

async function overdraw(bed: Bed, _: MoneyOptions, findings: string[]): Promise<string> {
  const ready = await prepare(bed, atOnce, 1);
  const account = "bench-0";
  const half = BigInt(atOnce / 2) * pence;
  const before = present(await fundsIn(bed.database, account), account).balanceMinor;
  const rest = { from: account, to: "internal-opening", amountMinor: before - half };
  await addPostings(bed.database, [{ postingId: "rest", ...rest }]);
  const answers = await Promise.all(
    ready.orders.map((order, n) =>
      ready.send(present(bed.banks[n % bed.banks.length], "a bank"), order, randomUUID()),
    ),
  );
  const unanswered = answers.filter((answer) => answer === null).length;
  if (unanswered > 0) findings.push(`${unanswered} orders were not answered`);
  const { paid } = await settle(bed, ready, findings);
  const { balanceMinor, heldMinor } = present(await fundsIn(bed.database, account), account);
  if (paid !== atOnce / 2 || balanceMinor !== 0n || heldMinor !== 0n) {
    findings.push(`${paid} paid; the account has ${balanceMinor} pence, ${heldMinor} held`);
  }
  return `${paid} payments, ${balanceMinor} pence left, ${heldMinor} held`;
}

async function addUp(bed: Bed, { payments }: MoneyOptions, findings: string[]): Promise<string> {
  const debtors = 50;
  const ready = await prepare(bed, payments, debtors);
  const sums = async () => [
    await sumOfBalances(bed.database, "customer"),
    await sumOfBalances(bed.database, "internal"),
  ];
  const [customers = 0n, bank = 0n] = await sums();
  await inLanes(ready.orders, async (order, n) => {
    const process = present(bed.banks[n % bed.banks.length], "a bank");
    const answer = await ready.send(process, order, randomUUID());
    if (answer?.status !== 201) findings.push(`an order was answered ${answer?.status}`);
  });
  const { orders, paid, left } = await settle(bed, ready, findings);
  const [customersAfter = 0n, bankAfter = 0n] = await sums();
  if (orders.size !== payments || paid !== payments || left !== BigInt(payments) * pence) {
    findings.push(`${orders.size} orders, ${paid} paid, ${left} pence, of ${payments} payments`);
  }
  // half of the payees have accounts here, so less has left the customers together
  const [gone, come] = [customers - customersAfter, bankAfter - bank];
  if (gone !== come) findings.push(`customers have ${gone} pence less, and the bank ${come} more`);
  return `${orders.size} orders, ${paid} payments of ${left} pence, ${gone - come} pence missing`;
}

async function inLanes<T>(all: readonly T[], work: (one: T, n: number) => Promise<void>) {
  const left = [...all.entries()];
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
