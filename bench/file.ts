import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SandboxClient, sandboxClient } from "#src/cli/sandbox-client.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import { type Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { type SamplePayment, sampleDomestic, sampleXml } from "#test/payments/files/samples.ts";
import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openBenchBank, type Watched } from "./lib/bank.ts";
import { openBystander } from "./lib/bystander.ts";
import { conclude, isQuick, show } from "./lib/report.ts";

// A pain.001 file of 100,000 payments from upload to settlement and report, over mutual TLS. The
// bank's own engine executes it. Measures the speed, and the cost to the process meanwhile. A JSON
// file is only uploaded, because the formats differ only there.

const count = isQuick ? 10_000 : 100_000;

type Json = { [name: string]: Json } & { Data: Json };

function expectStatus(answer: Answer, status: number): Json {
  if (answer.status !== status) {
    throw new Error(`${answer.status}: ${answer.raw.toString().slice(0, 500)}`);
  }
  return answer.body as Json; // what the bank answers with that status
}

const canPay = (account: SandboxCustomer["accounts"][number]): boolean =>
  account.accountSubType === "CurrentAccount" &&
  account.signatoriesRequired === 1 &&
  account.currency === "GBP" &&
  Number(account.balance) > count / 50;

/** The TPP that uploads and the customer who pays. */
type Parties = {
  bank: BenchBank;
  controls: SandboxClient;
  client: TppClient;
  customer: SandboxCustomer;
  account: SandboxCustomer["accounts"][number];
};

const seen: Watched[] = [];
const most = (figure: keyof Watched): number => Math.max(...seen.map((one) => one[figure]));

/** Runs one step, and shows its time and cost. */
async function step<T>({ bank }: Parties, name: string, work: () => Promise<T>): Promise<T> {
  await bank.ask({ name: "watch" });
  const started = performance.now();
  const result = await work();
  const seconds = (performance.now() - started) / 1000;
  const watched = await bank.ask<Watched>({ name: "watched" });
  show(
    name,
    `${seconds.toFixed(1)} s`,
    `${watched.peakMegabytes.toFixed(0)} MB`,
    `stall ${watched.stallMilliseconds.toFixed(0)} ms`,
    `own ${watched.heldMilliseconds.toFixed(0)} ms`,
  );
  seen.push(watched);
  return result;
}

// as long as in companies' files: 600 bytes of XML per payment
const paymentOf = (n: number): SamplePayment => ({
  amount: "0.01",
  instructionId: `PAYROLL-2026-11-INSTRUCTION-${n}`,
  endToEndId: `PAYROLL-2026-11-EMPLOYEE-${n}`,
  name: `Employee with quite a usual name ${n}`,
  reference: `Salary for November 2026 and expenses of October 2026, payslip number ${n}`,
});

const paymentsOf = (payments: number): SamplePayment[] =>
  Array.from({ length: payments }, (_, index) => paymentOf(index + 1));

type Sample = { fileType: string; contentType: string; bytes: Buffer };

const xmlOf = (debtor: string, payments: number): Sample => {
  const date = new Date().toISOString().slice(0, 10);
  const text = sampleXml({ groups: [{ date, debtor, payments: paymentsOf(payments) }] });
  return {
    fileType: "UK.OBIE.pain.001.001.08",
    contentType: "text/xml",
    bytes: Buffer.from(text),
  };
};

const jsonOf = (payments: number): Sample => ({
  fileType: "UK.OBIE.PaymentInitiation.4.0",
  contentType: "application/json",
  bytes: Buffer.from(sampleDomestic(paymentsOf(payments))),
});

const stem = "/v4.0/pisp/file-payment-consents";

/** Creates a consent and uploads its file. Returns the parts that an order repeats. */
async function upload(parties: Parties, { fileType, contentType, bytes }: Sample) {
  const { client } = parties;
  const token = await client.clientToken("payments");
  const Initiation = {
    FileType: fileType,
    FileHash: createHash("sha256").update(bytes).digest("base64"),
  };
  const lodged = await client.call({ path: stem, token, body: { Data: { Initiation } } });
  const consentId = String(expectStatus(lodged, 201).Data.ConsentId);
  const headers = { "content-type": contentType };
  const megabytes = (bytes.length / 1e6).toFixed(bytes.length < 1e6 ? 1 : 0);
  const uploaded = await step(parties, `upload, ${contentType}, ${megabytes} MB`, () =>
    client.call({ path: `${stem}/${consentId}/file`, token, body: bytes, headers }),
  );
  expectStatus(uploaded, 200);
  return { token, order: { Data: { ConsentId: consentId, Initiation } } };
}

/** Lets the customer approve, and submits the order. Returns the order's path. */
async function order(
  parties: Parties,
  body: { Data: { ConsentId: string; Initiation: object } },
): Promise<string> {
  const { client, controls, customer, account } = parties;
  const authorizationUrl = await client.authorizationUrl({
    scope: "payments",
    consentId: body.Data.ConsentId,
  });
  const { redirectUrl } = await step(parties, "consent", () =>
    controls.authorise({
      authorizationUrl,
      customer: customer.login,
      accounts: [account.accountId],
      decision: "approve",
    }),
  );
  const { access_token: token } = await client.exchangeCode(redirectUrl);
  const ordered = await step(parties, "order", () =>
    client.call({ path: "/v4.0/pisp/file-payments", token, body }),
  );
  return `/v4.0/pisp/file-payments/${expectStatus(ordered, 201).Data.FilePaymentId}`;
}

/** Resolves when every payment has been executed. */
async function untilExecuted(client: TppClient, path: string, token: string): Promise<void> {
  for (;;) {
    const { Data } = expectStatus(await client.call({ path, token }), 200);
    if (String(Data.Status) === "INCO") return;
    if (String(Data.Status) !== "PDNG") throw new Error(JSON.stringify(Data));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Resolves when the other banks have posted all payments. */
async function untilSettled(bank: BenchBank, payments: number): Promise<void> {
  while ((await bank.ask<number>({ name: "settled" })) < payments) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** Takes a file from upload to settlement and reads its report. Returns payments per second. */
async function pay(parties: Parties, sample: Sample, payments: number): Promise<number> {
  const { bank, client } = parties;
  const before = await bank.ask<number>({ name: "settled" });
  const started = performance.now();
  const { token, order: body } = await upload(parties, sample);
  const path = await order(parties, body);
  const readReport = () =>
    client.call({ path: `${path}/report-file`, token, headers: { accept: "*/*" } });
  const interim = await step(parties, "report while it is in work", readReport);
  if (!interim.raw.includes("<GrpSts>PDNG")) throw new Error("the report is no interim one");
  await step(parties, "execution", () => untilExecuted(client, path, token));
  await step(parties, "settlement", () => untilSettled(bank, before + payments));
  const seconds = (performance.now() - started) / 1000;
  const report = await step(parties, "report", readReport);
  const reported = report.raw.toString("latin1").split("<TxSts>ACCC").length - 1;
  if (reported !== payments) throw new Error(`${reported} are reported`);
  const details = await step(parties, "payment-details", () =>
    client.call({ path: `${path}/payment-details`, token }),
  );
  const items = (details.body as { Data: { PaymentStatus: unknown[] } }).Data.PaymentStatus;
  if (items.length !== payments) throw new Error(`there are ${items.length} details`);
  const file = await step(parties, "file", () =>
    client.call({
      path: `${stem}/${body.Data.ConsentId}/file`,
      token,
      headers: { accept: "*/*" },
    }),
  );
  if (!file.raw.equals(sample.bytes)) throw new Error("the file has changed");
  return payments / seconds;
}

async function openParties(bank: BenchBank): Promise<Parties> {
  const request = {
    name: "Benchmark",
    roles: ["PISP" as const],
    redirectUris: ["http://localhost:7878/callback"],
    tokenEndpointAuthMethod: "private_key_jwt" as const,
    certificateBound: true,
  };
  const controls = sandboxClient(bank);
  const operations = listOperations(paymentKinds);
  const tpp = { ...(await controls.createTpp(request)), ...request };
  const client = new TppClient({ ...bank, operations }, tpp);
  for (const customer of await controls.listCustomers()) {
    const account = customer.accounts.find(canPay);
    if (account) return { bank, controls, client, customer, account };
  }
  throw new Error("the sandbox has no customer who can pay");
}

async function measure(bank: BenchBank): Promise<void> {
  await bank.ask({ name: "watch" });
  const { idleMegabytes } = await bank.ask<Watched>({ name: "watched" });
  show("idle, before the first request", `${idleMegabytes.toFixed(0)} MB`);
  const parties = await openParties(bank);
  const debtor = parties.account.identification;
  show("(first 200, to warm up)");
  await pay(parties, xmlOf(debtor, 200), 200);
  seen.length = 0;
  show(`(${count.toLocaleString("en-GB")})`);
  const bystander = openBystander();
  const rate = await pay(parties, xmlOf(debtor, count), count);
  await upload(parties, jsonOf(count));
  const bystanderMilliseconds = await bystander.ask();
  conclude({ name: "a file, from upload to settled", value: rate, unit: "/s", aim: "shown" });
  conclude({
    name: "memory above idle, maximum",
    value: most("peakMegabytes") - idleMegabytes,
    unit: "MB",
    aim: "aim: less than 150",
  });
  conclude({
    name: "event loop blocked, maximum",
    value: most("stallMilliseconds"),
    unit: "ms",
    aim: "aim: at most 50, on a dedicated machine",
  });
  conclude({
    name: "event loop blocked by the process's own work, maximum",
    value: most("heldMilliseconds"),
    unit: "ms",
    aim: "aim: at most 50",
  });
  conclude({
    name: "an idle process blocked at the same time, maximum",
    value: bystanderMilliseconds,
    unit: "ms",
    aim: "the machine's share",
  });
  parties.client.close();
}

console.log(`\nA file of ${count.toLocaleString("en-GB")} payments`);
const server = await startPostgres({ flushes: true });
const kept = mkdtempSync(join(tmpdir(), "aldgate-bench-"));
try {
  const url = await server.createDatabase(`bench_file_${process.pid}`);
  // a bank that has just seeded its database uses more memory than an idle one
  await (await openBenchBank(url, { kept })).close();
  const bank = await openBenchBank(url, { kept });
  try {
    await measure(bank);
  } finally {
    await bank.close();
  }
} finally {
  rmSync(kept, { recursive: true, force: true });
  await server.stop();
}
