import { createHash } from "node:crypto";
import { type SandboxClient, sandboxClient } from "#src/cli/sandbox-client.ts";
import type { SandboxCustomer } from "#src/sandbox/controls.ts";
import { type Answer, TppClient } from "#src/sandbox/tpp-client.ts";
import { sampleXml } from "#test/payments/files/samples.ts";
import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openBenchBank, type Watched } from "./lib/bank.ts";
import { conclude, isQuick, show } from "./lib/report.ts";

// A pain.001 file of 100,000 payments from upload to settlement and report, over mutual TLS, in a
// bank that works on it with its own engine: how fast, and what it costs the process meanwhile.

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

/** One step, with its time and what it cost. */
async function step<T>(bank: BenchBank, name: string, work: () => Promise<T>): Promise<T> {
  await bank.ask({ name: "watch" });
  const started = performance.now();
  const result = await work();
  const seconds = (performance.now() - started) / 1000;
  const watched = await bank.ask<Watched>({ name: "watched" });
  const more = watched.peakMegabytes - watched.idleMegabytes;
  show(
    name,
    `${seconds.toFixed(1)} s`,
    `+${more.toFixed(0)} MB`,
    `stall ${watched.stallMilliseconds.toFixed(0)} ms`,
    `own ${watched.heldMilliseconds.toFixed(0)} ms`,
  );
  stalls.push(watched.stallMilliseconds);
  held.push(watched.heldMilliseconds);
  peaks.push(watched.peakMegabytes);
  return result;
}

const stalls: number[] = [];
const held: number[] = [];
const peaks: number[] = [];

async function pay(
  bank: BenchBank,
  controls: SandboxClient,
  client: TppClient,
  customer: SandboxCustomer,
  payments: number,
) {
  const account = customer.accounts.find(canPay);
  if (!account) throw new Error("the customer has no account to pay from");
  const date = new Date().toISOString().slice(0, 10);
  const text = sampleXml({
    groups: [
      {
        date,
        debtor: account.identification,
        payments: Array.from({ length: payments }, () => ({ amount: "0.01" })),
      },
    ],
  });
  const bytes = Buffer.from(text);
  const token = await client.clientToken("payments");
  const Initiation = {
    FileType: "UK.OBIE.pain.001.001.08",
    FileHash: createHash("sha256").update(bytes).digest("base64"),
    NumberOfTransactions: String(payments),
  };
  const stem = "/v4.0/pisp/file-payment-consents";
  const lodged = await client.call({ path: stem, token, body: { Data: { Initiation } } });
  const consentId = String(expectStatus(lodged, 201).Data.ConsentId);
  const headers = { "content-type": "text/xml" };
  const started = performance.now();
  const megabytes = bytes.length / 1e6;
  const uploaded = await step(bank, `upload, ${megabytes.toFixed(0)} MB`, () =>
    client.call({ path: `${stem}/${consentId}/file`, token, body: bytes, headers }),
  );
  expectStatus(uploaded, 200);
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  const { redirectUrl } = await controls.authorise({
    authorizationUrl,
    customer: customer.login,
    decision: "approve",
  });
  const { access_token: granted } = await client.exchangeCode(redirectUrl);
  const order = { Data: { ConsentId: consentId, Initiation } };
  const ordered = await step(bank, "order", () =>
    client.call({ path: "/v4.0/pisp/file-payments", token: granted, body: order }),
  );
  const path = `/v4.0/pisp/file-payments/${expectStatus(ordered, 201).Data.FilePaymentId}`;
  const interim = await step(bank, "report while it is in work", () =>
    client.call({ path: `${path}/report-file`, token, headers: { accept: "*/*" } }),
  );
  if (!interim.raw.includes("<GrpSts>PDNG")) throw new Error("the report is no interim one");
  await step(bank, "execution", async () => {
    for (;;) {
      const { Data } = expectStatus(await client.call({ path, token }), 200);
      if (String(Data.Status) === "INCO") return;
      if (String(Data.Status) !== "PDNG") throw new Error(JSON.stringify(Data));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
  const seconds = (performance.now() - started) / 1000;
  await step(bank, "report", () =>
    client.call({ path: `${path}/report-file`, token, headers: { accept: "*/*" } }),
  );
  const details = await step(bank, "payment-details", () =>
    client.call({ path: `${path}/payment-details`, token }),
  );
  const items = (details.body as { Data: { PaymentStatus: unknown[] } }).Data.PaymentStatus;
  if (items.length !== payments) throw new Error(`there are ${items.length} details`);
  await step(bank, "file", () =>
    client.call({ path: `${stem}/${consentId}/file`, token, headers: { accept: "*/*" } }),
  );
  return payments / seconds;
}

async function measure(bank: BenchBank): Promise<void> {
  const request = {
    name: "Benchmark",
    roles: ["PISP" as const],
    redirectUris: ["http://localhost:7878/callback"],
    tokenEndpointAuthMethod: "private_key_jwt" as const,
    certificateBound: true,
  };
  const controls = sandboxClient(bank);
  const client = new TppClient(bank, { ...(await controls.createTpp(request)), ...request });
  const [customer] = (await controls.listCustomers()).filter(({ accounts }) =>
    accounts.some(canPay),
  );
  if (!customer) throw new Error("the sandbox has a customer who can pay");
  show("(first 200, to warm up)");
  await pay(bank, controls, client, customer, 200);
  stalls.length = 0;
  held.length = 0;
  peaks.length = 0;
  await bank.ask({ name: "watch" });
  const { idleMegabytes } = await bank.ask<Watched>({ name: "watched" });
  show("idle", `${idleMegabytes.toFixed(0)} MB`);
  const rate = await pay(bank, controls, client, customer, count);
  conclude({ name: "a file, from upload to settled", value: rate, unit: "/s", aim: "shown" });
  conclude({
    name: "memory above idle, at its most",
    value: Math.max(...peaks) - idleMegabytes,
    unit: "MB",
    aim: "aim: less than 150",
  });
  conclude({
    name: "event loop held, at its longest",
    value: Math.max(...stalls),
    unit: "ms",
    aim: "aim: at most 50, on a machine of its own",
  });
  conclude({
    name: "of that the process's own work",
    value: Math.max(...held),
    unit: "ms",
    aim: "aim: at most 50",
  });
  client.close();
}

console.log(`\nA file of ${count.toLocaleString("en-GB")} payments`);
const server = await startPostgres();
try {
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --expose-gc`.trim();
  const bank = await openBenchBank(await server.createDatabase(`bench_file_${process.pid}`));
  try {
    await measure(bank);
  } finally {
    await bank.close();
  }
} finally {
  await server.stop();
}
