import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { quickPayee } from "#test/journeys/payments.ts";
import { type CommandResult, runCommand } from "#test/server/run-command.ts";
import { shiftedClock } from "#test/shifted-clock.ts";

// `./aldgate judge`: a message, a JWT and a certificate, from a file and from the standard input.

let bank: TestBank;
let tpp: TppClient;
let folder: string;
before(async () => {
  bank = await openBank();
  tpp = await bank.createTpp();
  folder = mkdtempSync(join(tmpdir(), "aldgate-judge-"));
});
after(async () => {
  await bank?.close();
  if (folder) rmSync(folder, { recursive: true });
});

const payment = JSON.stringify({
  Data: {
    Initiation: {
      InstructionIdentification: "42",
      EndToEndIdentification: "43",
      InstructedAmount: { Amount: "1.00", Currency: "GBP" },
      CreditorAccount: quickPayee,
    },
  },
  Risk: { PaymentContextCode: "TransferToThirdParty" },
});

const environment = (): Record<string, string> => ({
  PUBLIC_URL: bank.publicUrl,
  PUBLIC_PORT: new URL(bank.publicUrl).port,
  MTLS_PORT: new URL(bank.mtlsUrl).port,
});
const run = (line: string): Promise<CommandResult> => runCommand(line, environment());
function fileOf(content: string): string {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.txt`);
  writeFileSync(file, content);
  return file;
}

/** A whole request, signed over another body if one is given. */
async function message(body: string, signed = body): Promise<string> {
  return [
    `POST ${pispV40.basePath}/domestic-payment-consents HTTP/1.1`,
    "Content-Type: application/json",
    "x-idempotency-key: 4711",
    `x-jws-signature: ${await tpp.signature(Buffer.from(signed))}`,
    "",
    body,
  ].join("\r\n");
}

test("a message that the bank would accept: every check is listed, and the exit code is 0", async () => {
  const { code, printed } = await run(`judge ${fileOf(await message(payment))}`);
  assert.equal(code, 0, printed);
  assert.match(printed, /passed +signature/);
  assert.match(printed, /passed +schema/);
});

test("a message with two mistakes: both are said with what to do, and the exit code is 1", async () => {
  const wrong = payment.replace('"1.00"', '"1,00"');
  const { code, printed } = await run(`judge ${fileOf(await message(wrong, payment))}`);
  assert.equal(code, 1);
  assert.match(printed, /U015/);
  assert.match(printed, /U002/);
  assert.match(printed, /Data\.Initiation\.InstructedAmount\.Amount/);
});

test("with --json the judgement of the API is printed, with the same exit code", async () => {
  const file = fileOf(await message(payment, `${payment} `));
  const { code, printed } = await run(`judge ${file} --json`);
  assert.equal(code, 1);
  const judged = JSON.parse(printed) as { subject: string; faults: { code: string }[] };
  assert.equal(judged.subject, "message");
  assert.deepEqual(
    judged.faults.map((fault) => fault.code),
    ["U015"],
  );
});

test("a body alone is judged by the signature of an option", async () => {
  const signature = await tpp.signature(Buffer.from(payment));
  const good = await run(`judge ${fileOf(payment)} --signature ${signature}`);
  assert.equal(good.code, 0, good.printed);
  const without = await run(`judge ${fileOf(payment)}`);
  assert.equal(without.code, 1);
  assert.match(without.printed, /x-jws-signature/);
});

test("a JWT: a client assertion passes, and one that has expired names its claim", async () => {
  const good = await run(`judge ${fileOf(await tpp.assertion())}`);
  assert.equal(good.code, 0, good.printed);
  const exp = Math.floor(Date.now() / 1000) - 600;
  const expired = await run(`judge ${fileOf(await tpp.assertion({ exp }))}`);
  assert.equal(expired.code, 1);
  assert.match(expired.printed, /\bexp\b/);
});

test("a certificate is judged from the standard input", async () => {
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, main, "judge", "-"], {
    env: { PATH: process.env.PATH, ...shiftedClock, ...environment() },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(tpp.tpp.transport.certificatePem);
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  assert.equal(code, 0, printed);
  assert.match(printed, /certificate/);
});

test("no file, two files, and a file that is missing are refused in words", async () => {
  for (const line of ["judge", "judge one two"]) {
    const { code, complained } = await run(line);
    assert.notEqual(code, 0);
    assert.match(complained, /Name one file, or `-`\./);
  }
  const missing = await run(`judge ${join(folder, "missing.jwt")}`);
  assert.notEqual(missing.code, 0);
  assert.match(missing.complained, /missing\.jwt cannot be read/);
});
