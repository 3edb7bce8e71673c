import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { Calls } from "#test/model/calls.ts";
import { History } from "#test/model/history.ts";
import { judgeClient } from "#test/model/judge-client.ts";
import { RecordingTpp } from "#test/model/recording-tpp.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limit, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { patienceMs } from "#test/until.ts";
import { type BankProcess, quickTakeover, startBank } from "./bank-process.ts";
import { callControl } from "./fuzz/world.ts";
import { fillDatabase } from "./kills.ts";
import { untilSettled } from "./order-stream.ts";
import { startServer } from "./postgres-server.ts";

// The test starts a PostgreSQL server. It would be the same in both lanes, so it runs only in the
// first.

const stem = "/v4.0/pisp/domestic-vrp";

/** A TPP with a consent of 20 payments of £3 a year, which a customer has authorised. */
async function agree(bank: BankProcess, history: History) {
  const request = {
    name: "Sweeper",
    roles: ["PISP"],
    redirectUris: ["http://localhost:7878/callback"],
    tokenEndpointAuthMethod: "private_key_jwt" as const,
    certificateBound: false,
  };
  const created = await callControl<TppCredentials>(bank, "POST", "/tpps", request);
  const client = new RecordingTpp(bank, { ...created, ...request }, history);
  const body = vrpConsent(({ Data }) => {
    Data.ControlParameters.PeriodicLimits = [limit("Year", "Consent", "60.00")];
  });
  const token = await client.clientToken("payments");
  const lodged = await client.call<Json>({ path: `${stem}-consents`, token, body });
  const consentId: string = lodged.body.Data.ConsentId;
  const { customers } = await callControl<{ customers: SandboxCustomer[] }>(
    bank,
    "GET",
    "/customers",
  );
  const amara = present(
    customers.find(({ login }) => login === "amara"),
    "Amara",
  );
  const account = amara.accounts.find(({ accountSubType }) => accountSubType === "CurrentAccount");
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  const decision = {
    authorizationUrl,
    customer: "amara",
    accounts: [present(account, "an account").accountId],
    decision: "approve",
  };
  const { redirectUrl } = await client.decide(consentId, true, () =>
    callControl<{ redirectUrl: string }>(bank, "POST", "/authorisations", decision),
  );
  const { access_token } = await client.exchangeCode(redirectUrl);
  return { client, consentId, body, token: access_token };
}

// A process is killed when this many of a hundred orders have been answered. The limit is used up
// after 20 orders.
const killedAfter = [0, 5, 19];

test("V-120: a hundred concurrent payments through two processes, one of which is killed, use up a limit and never exceed it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-limit-kills-"));
  const server = await startServer();
  const banks: BankProcess[] = [];
  try {
    const url = await server.createDatabase("bank");
    await fillDatabase(url);
    // one after the other, because the first creates the keys
    const settings = { DATABASE_URL: url, ...quickTakeover };
    for (const _ of [1, 2]) banks.push(await startBank(folder, settings));
    let broken = 0;
    const history = new History();
    const clientIds: string[] = [];
    for (const [round, answered] of killedAfter.entries()) {
      const killed = present(banks[round % 2], "the bank that is killed");
      const agreement = await agree(present(banks[0], "a bank"), history);
      const { accepted, broken: lost } = await submitAll(banks, agreement, killed, answered);
      agreement.client.close();
      broken += lost;
      assert.equal(accepted.size, 20, "the orders use up the limit");
      clientIds.push(agreement.client.tpp.clientId);
    }
    const database = await openPostgres(url, 1);
    try {
      // first, the leases of the killed banks expire
      assert.ok(await untilSettled(database, patienceMs));
      for (const clientId of clientIds) {
        assert.deepEqual(await judgeClient(history, database, clientId), []);
      }
      assert.deepEqual(await verifyInvariants(database), []);
    } finally {
      await database.close();
    }
    // each refusal was judged: an order without an answer may have used up the limit
    const calls = new Calls(history.calls()).of("order");
    assert.equal(calls.filter(({ outcome }) => outcome === "refused").length, 3 * 80);
    assert.ok(broken > 0, "a bank was killed while it had orders");
  } finally {
    for (const bank of banks) if (bank.isAlive()) await bank.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

type Agreement = Awaited<ReturnType<typeof agree>>;

/**
 * Sends a hundred orders to the banks in turn, each with one key until a bank gives a final answer.
 * Kills a bank after some answers, and opens it again. Returns the ids of the accepted orders, and
 * how many requests got no answer.
 */
async function submitAll(
  banks: readonly BankProcess[],
  { client, consentId, body, token }: Agreement,
  killed: BankProcess,
  killedAfter: number,
): Promise<{ accepted: ReadonlySet<string>; broken: number }> {
  const accepted = new Set<string>();
  let broken = 0;
  let answered = 0;
  let restart: Promise<void> | null = null;
  const kill = async (): Promise<void> => {
    await killed.kill();
    await killed.reopen();
  };
  const killInTime = (): void => {
    if (answered >= killedAfter) restart ??= kill();
  };

  async function submit(index: number): Promise<void> {
    const idempotencyKey = randomUUID();
    const deadline = performance.now() + patienceMs;
    for (let turn = index; performance.now() < deadline; turn++) {
      const { publicUrl } = present(banks[turn % banks.length], "a bank");
      const path = `${publicUrl}/api/open-banking${stem}s`;
      const order = vrpOrder(consentId, body, "3.00");
      const answer = await client
        .call<Json>({ path, token, body: order, idempotencyKey })
        .catch(() => null);
      if (answer?.status === 201 || answer?.status === 400) {
        answered += 1;
        killInTime();
        if (answer.status === 201) accepted.add(answer.body.Data.DomesticVRPId);
        else assert.equal(answer.body.Errors[0].ErrorCode, "U014");
        return;
      }
      assert.ok(answer === null || answer.status === 503, `${answer?.status} ${answer?.raw}`);
      broken += 1;
      await delay(50);
    }
    throw new Error("an order was never answered");
  }

  const submissions = Array.from({ length: 100 }, (_, index) => submit(index));
  await delay(40);
  killInTime();
  await Promise.all(submissions);
  await restart;
  return { accepted, broken };
}
