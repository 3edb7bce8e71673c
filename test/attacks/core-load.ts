// The load of TPPs on banks whose core fails: orders within limits, approvals by customers, and
// reads of account data.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { expectStatus } from "#test/harness.ts";
import {
  lodge,
  lodgeAccess,
  quickPayee,
  type Resource,
  type submit,
} from "#test/journeys/payments.ts";
import type { History } from "#test/model/history.ts";
import { RecordingTpp } from "#test/model/recording-tpp.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limit, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { patienceMs, until } from "#test/until.ts";
import type { BankProcess } from "./bank-process.ts";
import { callControl } from "./fuzz/world.ts";

const vrp = "/v4.0/pisp/domestic-vrp";
const apis = "/api/open-banking";

/** A bank, and the TPP of the load as its client. */
type Place = { bank: BankProcess; client: RecordingTpp };

/** Registers the TPP of the load at one of the banks, which share their database. */
export async function createLoadTpp(
  banks: readonly BankProcess[],
  history: History,
): Promise<Place[]> {
  const [first] = banks as [BankProcess];
  const request = {
    name: "Load",
    roles: [...tppRoles],
    redirectUris: ["http://localhost:7878/callback"],
    tokenEndpointAuthMethod: "private_key_jwt" as const,
    certificateBound: false,
  };
  const created = await callControl<TppCredentials>(first, "POST", "/tpps", request);
  return banks.map((bank) => ({
    bank,
    client: new RecordingTpp(bank, { ...created, ...request }, history),
  }));
}

/** A customer of the core, with the account of the load. */
export type Payer = { login: string; accountId: string };

/** A consent to payments within limits that a customer has approved. */
type Agreement = { consentId: string; token: string; body: Json };

/** What has come of the load so far. */
export type LoadReport = {
  /** How many orders a bank has acknowledged. */
  acknowledged: number;
  /** Counts the answers to orders by status; `none` is a broken connection. */
  answers: Map<string, number>;
  approvals: { made: number; failed: number };
  reads: number;
  /** What a TPP should not have seen. */
  faults: Set<string>;
};

/** A running load. */
export type CoreLoad = {
  report: LoadReport;
  /** Ends the load when every order that was begun has its answer. */
  finish(): Promise<void>;
};

/** The TPP at the banks, and whose accounts it pays from and reads. */
type LoadOptions = {
  places: readonly Place[];
  /** Has money. */
  rich: Payer;
  /** Has none, so the core refuses each payment. */
  poor: Payer;
};

const lanes = 5;
const pauseMs = 20;

/** Lets the customers approve what the load needs, and starts it. */
export async function startCoreLoad({ places, rich, poor }: LoadOptions): Promise<CoreLoad> {
  const [first] = places as [Place];
  const { client } = first;
  const report: LoadReport = {
    acknowledged: 0,
    answers: new Map(),
    approvals: { made: 0, failed: 0 },
    reads: 0,
    faults: new Set(),
  };
  const agreements = [
    await whenServed(() => agree(first, rich)),
    await whenServed(() => agree(first, poor)),
  ];
  const reading = await whenServed(async () =>
    approve(first, "accounts", await lodgeAccess(client), rich),
  );
  let isOpen = true;
  let turn = 0;
  const next = (): Place => places[turn++ % places.length] ?? first;
  const count = (name: string): void =>
    void report.answers.set(name, (report.answers.get(name) ?? 0) + 1);

  /** Sends an order with one key until a bank gives a final answer. */
  async function settle(what: string, send: (at: string, key: string) => Sent): Promise<void> {
    const key = randomUUID();
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline) {
      const answer = await send(`${next().bank.publicUrl}${apis}`, key).catch(() => null);
      count(answer ? String(answer.status) : "none");
      if (answer?.status === 201) {
        report.acknowledged += 1;
        return;
      }
      if (answer && answer.status !== 503) {
        // a refusal has no reason here: the limits are never reached
        report.faults.add(`${what} was answered ${answer.status} ${textOf(answer)}`);
        return;
      }
      await delay(100);
    }
    report.faults.add(`${what} was not answered in ${patienceMs / 1000} s`);
  }

  async function payInLane(): Promise<void> {
    for (let n = 0; isOpen; n += 1) {
      // a few pence, so that the account has enough for all cores; one in five from the empty one
      const { consentId: from, token, body } = agreements[n % 5 === 4 ? 1 : 0] as Agreement;
      const amount = `0.0${1 + (n % 5)}`;
      const order = vrpOrder(from, body, amount);
      await settle("an order within limits", (at, idempotencyKey) =>
        client.call<Resource>({ path: `${at}${vrp}s`, token, body: order, idempotencyKey }),
      );
      await delay(pauseMs);
    }
  }

  /** Customers go the whole way. While the core or the bank is down, they give up. */
  async function approveInLane(): Promise<void> {
    while (isOpen) {
      const ready = await approveOne(next(), rich).catch(giveUp);
      report.approvals[ready ? "made" : "failed"] += 1;
      if (ready) {
        const { lodged, token } = ready;
        const path = "/v4.0/pisp/domestic-payments";
        const body = {
          Data: { ConsentId: lodged.consentId, Initiation: lodged.initiation },
          Risk: lodged.risk,
        };
        await settle("an order", (at, idempotencyKey) =>
          client.call<Resource>({ path: `${at}${path}`, token, body, idempotencyKey }),
        );
      }
      await delay(pauseMs * 5);
    }
  }

  function giveUp(error: Error): null {
    // 503 while the core is down, and no answer of a bank that is being killed
    const isOutage = /503|ECONNREFUSED|ECONNRESET|socket hang up|fetch failed/.test(error.message);
    if (!isOutage) report.faults.add(`an approval: ${error.message}`);
    return null;
  }

  async function readInLane(): Promise<void> {
    const resources = ["", `/${rich.accountId}/balances`, `/${rich.accountId}/transactions`];
    while (isOpen) {
      const resource = resources[report.reads % resources.length] ?? "";
      const path = `/v3.1/aisp/accounts${resource}`;
      const fault = await readOnce(path);
      if (fault) report.faults.add(`account data: ${fault}`);
      report.reads += 1;
      await delay(pauseMs * 2);
    }
  }

  /** Reads at a bank; if that is being killed, at the other one. Returns what is wrong. */
  async function readOnce(path: string): Promise<string | null> {
    const chosen = next();
    for (const { bank } of [chosen, ...places.filter((one) => one !== chosen)]) {
      const sent = client.call({ path: `${bank.publicUrl}${apis}${path}`, token: reading });
      const answer = await sent.catch(() => null);
      if (answer?.status === 200) return null;
      if (answer) return `${answer.status} ${textOf(answer)}`;
    }
    return "no bank answered";
  }

  // once, the account has to arrive from the core
  await until(
    () => readOnce(`/v3.1/aisp/accounts/${rich.accountId}/balances`),
    (fault) => fault === null,
  );
  const running = Promise.all([
    ...Array.from({ length: lanes }, payInLane),
    approveInLane(),
    readInLane(),
  ]);
  return {
    report,
    async finish() {
      isOpen = false;
      await running;
    },
  };
}

/** The text of an answer without ids, so that the same fault is listed once. */
const textOf = ({ raw }: { raw: Buffer }): string =>
  raw
    .toString()
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "…")
    .slice(0, 300);

type Sent = ReturnType<typeof submit>;

const preparations = 10;

/** Prepares something again while the bank says that its core is late, as a customer would. */
async function whenServed<T>(prepare: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await prepare();
    } catch (error) {
      const isLate = error instanceof Error && error.message.includes("answered 503");
      if (!isLate || tried === preparations) throw error;
      await delay(1000);
    }
  }
}

async function agree(place: Place, payer: Payer): Promise<Agreement> {
  const { client } = place;
  const body = vrpConsent(({ Data }) => {
    Data.ControlParameters.PeriodicLimits = [limit("Year", "Consent", "100000.00")];
    Data.Initiation.CreditorAccount = { ...quickPayee };
  });
  const token = await client.clientToken("payments");
  const lodged = await client.call<Json>({ path: `${vrp}-consents`, token, body });
  expectStatus(lodged, 201);
  const consentId: string = lodged.body.Data.ConsentId;
  return { consentId, body, token: await approve(place, "payments", consentId, payer) };
}

async function approveOne(place: Place, payer: Payer) {
  const lodged = await lodge(place.client, { amount: "0.01" });
  const token = await approve(place, "payments", lodged.consentId, payer);
  return { lodged, token };
}

/** Lets a customer approve a consent without a browser. Returns the token. */
async function approve(
  { bank, client }: Place,
  scope: "accounts" | "payments",
  consentId: string,
  { login, accountId }: Payer,
): Promise<string> {
  const decision = {
    authorizationUrl: await client.authorizationUrl({ scope, consentId }),
    customer: login,
    accounts: [accountId],
    decision: "approve",
  };
  const { redirectUrl } = await client.decide(consentId, true, () =>
    callControl<{ redirectUrl: string }>(bank, "POST", "/authorisations", decision),
  );
  return (await client.exchangeCode(redirectUrl)).access_token;
}
