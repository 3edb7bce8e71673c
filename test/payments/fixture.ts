import assert from "node:assert/strict";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { type CryptoKey, FlattenedSign, importJWK, type JWK } from "jose";
import { accessRow } from "#src/auth/access-row.ts";
import { grantDeletions } from "#src/auth/grant-deletions.ts";
import type { Bank } from "#src/bank/port.ts";
import type { RegisteredKey } from "#src/clients/register-client.ts";
import { loadConfig } from "#src/config/config.ts";
import { authoriseConsent } from "#src/consents/consent.ts";
import { jwsClaims } from "#src/http/signature/message-signer.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentOperations } from "#src/payments/operations.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { hasFirmRates } from "#src/sandbox/scenarios/scenarios.ts";
import type { Database } from "#src/storage/database.ts";
import { addAccounts } from "#test/account-store/add-accounts.ts";
import { addToken } from "#test/auth/stored-rows.ts";
import { addClient } from "#test/clients/add-client.ts";
import { evidence } from "#test/consents/evidence.ts";
import { readConsent } from "#test/consents/stored-rows.ts";
import { serve } from "#test/http/serve.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { addCustomers } from "#test/sandbox/stored-customers.ts";
import { addLedgerAccounts, addPostings } from "#test/sandbox/stored-ledger.ts";
import { type Answer, type CheckAnswer, createAnswerCheck, type Json } from "./answer-check.ts";

export const base = "http://bank.test/api/open-banking/v4.0/pisp";

/** The accounts of the customers. */
export const accounts = {
  current: "account-current",
  joint: "account-joint",
  savings: "account-savings",
  card: "account-card",
  euro: "account-euro",
} as const;

/** The sort codes and account numbers of these accounts. */
export const numbers = { current: "40478411111111", joint: "40478422222222" } as const;

export type Sent = {
  token?: string;
  body?: unknown;
  /** The idempotency key; a new one by default. */
  key?: string;
  /** When the request was signed, in seconds; by default, a moment ago. */
  signedAt?: number;
  /** Additional headers, or replacements of the usual ones. */
  headers?: Record<string, string>;
};

type Tpp = { clientId: string; key: CryptoKey; token: string };

/** A bank that only has payment initiation, with functions for tests. */
export type PaymentsFixture = {
  database: Database;
  bank: Bank;
  clock: { now(): Temporal.Instant; set(instant: string): void };
  tpp: Tpp;
  otherTpp: Tpp;
  /** How often the engine was woken because an order is waiting. */
  woken(): number;
  /** How many statements have run. */
  statements(): number;
  /**
   * Opens another front of the same bank, with another configuration, other calls of its core, or
   * other kinds.
   */
  configured(
    config: Partial<PaymentConfig>,
    core?: Partial<Bank>,
    kinds?: readonly PaymentKind[],
  ): Promise<Front>;
  close(): Promise<void>;
} & Front;

export type Front = {
  get(path: string, token?: string): Promise<Answer>;
  /** Sends a request of another method, without a body. */
  send(method: "DELETE" | "PUT" | "PATCH", path: string, token?: string): Promise<Answer>;
  post(path: string, sent: Sent, tpp?: Tpp): Promise<Answer>;
  /** Creates a consent, which must be accepted, and has a customer authorise it. */
  authorised(options?: Authorised): Promise<Granted>;
  /** Authorises a consent like a journey, and returns the token. */
  authorise(consentId: string, accountId?: string): Promise<string>;
};

export type Authorised = { body?: Json; path?: string; accountId?: string };
export type Granted = { consentId: string; body: Json; order: Json; token: string };

/** A minimal request for a domestic payment consent, which `change` may alter. */
export function domesticConsent(change: (body: Json) => void = () => undefined): Json {
  const body = {
    Data: {
      Initiation: {
        InstructionIdentification: "i1",
        EndToEndIdentification: "e1",
        InstructedAmount: { Amount: "10.00", Currency: "GBP" },
        CreditorAccount: {
          SchemeName: "UK.OBIE.SortCodeAccountNumber",
          Identification: "20201010981789",
          Name: "Dr Foo",
        },
      },
    },
    Risk: {},
  };
  change(body);
  return body;
}

/** A minimal request for a scheduled payment consent, for 9 March 2027. */
export const scheduledConsent = (change: (body: Json) => void = () => undefined): Json =>
  domesticConsent((body) => {
    body.Data.Permission = "Create";
    body.Data.Initiation.RequestedExecutionDateTime = "2027-03-09T00:00:00+00:00";
    change(body);
  });

/** A minimal request for a standing order consent: £5 per month from 15 March 2027. */
export const standingOrderConsent = (change: (body: Json) => void = () => undefined): Json =>
  domesticConsent((body) => {
    body.Data.Permission = "Create";
    body.Data.Initiation = {
      MandateRelatedInformation: {
        FirstPaymentDateTime: "2027-03-15T00:00:00+00:00",
        Frequency: { Type: "MNTH" },
      },
      FirstPaymentAmount: { Amount: "5.00", Currency: "GBP" },
      CreditorAccount: body.Data.Initiation.CreditorAccount,
    };
    change(body);
  });

/** The request of the order that matches a consent. */
export const orderOf = (consentId: string, { Data, Risk }: Json): Json =>
  structuredClone({ Data: { ConsentId: consentId, Initiation: Data.Initiation }, Risk });

/** The code and path of a response's first error. */
export const firstFault = ({ body }: Answer): [string, string | undefined] => [
  body.Errors[0].ErrorCode,
  body.Errors[0].Path,
];

/** Opens the bank on an empty database of the lane's kind. */
export async function openPayments(
  kinds: readonly PaymentKind[] = paymentKinds,
): Promise<PaymentsFixture> {
  const opened = await openEmpty();
  let statements = 0;
  const database: Database = {
    ...opened,
    query: (statement) => {
      statements += 1;
      return opened.query(statement);
    },
    read: (statement) => {
      statements += 1;
      return opened.read(statement);
    },
  };
  let instant = Temporal.Instant.from("2027-03-02T10:00:00Z"); // a Tuesday
  const clock = {
    now: () => instant,
    set: (text: string) => {
      instant = Temporal.Instant.from(text);
    },
  };
  await insertAccounts(database);
  const tpp = await addTpp(database, "tpp-1");
  const otherTpp = await addTpp(database, "tpp-2");
  let woken = 0;
  const given = { kinds, database, clock, tpp, wake: () => (woken += 1) };
  const fronts: FastifyInstance[] = [];
  const configured: PaymentsFixture["configured"] = async (config, core = {}, offered = kinds) => {
    const { app, front } = await openFront({ ...given, kinds: offered, config, core });
    fronts.push(app);
    return front;
  };
  return {
    database,
    bank: createSandboxBank({ database, clock }),
    clock,
    tpp,
    otherTpp,
    woken: () => woken,
    statements: () => statements,
    configured,
    ...(await configured({})),
    async close() {
      await Promise.all(fronts.map((app) => app.close()));
      await database.close();
    },
  };
}

type Given = {
  kinds: readonly PaymentKind[];
  database: Database;
  clock: { now(): Temporal.Instant };
  tpp: Tpp;
  wake(): void;
  config: Partial<PaymentConfig>;
  core: Partial<Bank>;
};

async function openFront(given: Given): Promise<{ app: FastifyInstance; front: Front }> {
  const { kinds, database, clock, wake } = given;
  const config = { ...loadConfig({}), ...given.config };
  const bank = { ...createSandboxBank({ database, clock, hasFirmRates }), ...given.core };
  const operations = paymentOperations({
    database,
    accessRow,
    grantDeletions,
    bank,
    kinds,
    config,
    wake,
  });
  const { app } = await serve(operations, { database, clock, machineClock: clock });
  const check = createAnswerCheck(operations);
  return { app, front: makeFront(app, check, given) };
}

function makeFront(
  app: FastifyInstance,
  check: CheckAnswer,
  { kinds, database, clock, tpp }: Given,
): Front {
  const front: Front = {
    async get(path, token = tpp.token) {
      const url = urlOf(path);
      const headers = { authorization: `Bearer ${token}` };
      return check("GET", url, await app.inject({ method: "GET", url, headers }));
    },
    async send(method, path, token = tpp.token) {
      const url = urlOf(path);
      const headers = { authorization: `Bearer ${token}` };
      return check(method, url, await app.inject({ method, url, headers }));
    },
    async post(path, { token, body, key = randomUUID(), signedAt, headers: more }, by = tpp) {
      const payload = typeof body === "string" ? body : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${token ?? by.token}`,
        "content-type": "application/json",
        "x-idempotency-key": key,
        "x-jws-signature": await sign(by, payload, signedAt),
        ...more,
      };
      const url = urlOf(path);
      const answer = await app.inject({ method: "POST", url, headers, payload });
      return check("POST", url, answer);
    },
    async authorised({
      body = domesticConsent(),
      path = "/domestic-payment-consents",
      accountId = accounts.current,
    } = {}) {
      const answer = await front.post(path, { body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      const consentId = answer.body.Data.ConsentId;
      const token = await front.authorise(consentId, accountId);
      return { consentId, body, order: orderOf(consentId, body), token };
    },
    async authorise(consentId, accountId = accounts.current) {
      const { kind, clientId } = await readConsent(database, consentId);
      const grantId = newId("g");
      const done = await authoriseConsent(database, {
        consentId,
        course: present(
          kinds.find(({ id }) => id === kind),
          "a kind",
        ).consent,
        customerId: "customer-ann",
        accountIds: [accountId],
        debtor: await createSandboxBank({ database, clock }).loadAccount(accountId),
        grantId,
        evidence,
        now: clock.now(),
      });
      assert(done, "the consent could be authorised");
      return addPaymentsToken(database, clientId, grantId);
    },
  };
  return front;
}

const apiPath = "/api/open-banking/v4.0/pisp";

/** The URL of a path below v4.0, of a path of another version, or of a link. */
const urlOf = (path: string): string =>
  path.startsWith("http")
    ? path.slice("http://bank.test".length)
    : path.startsWith("/api/")
      ? path
      : apiPath + path;

async function makeKeyPair(kid: string): Promise<{ key: CryptoKey; jwk: JWK }> {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = (await importJWK(pair.privateKey.export({ format: "jwk" }), "PS256", {
    extractable: true,
  })) as CryptoKey;
  return { key, jwk: { ...pair.publicKey.export({ format: "jwk" }), kid, use: "sig" } as JWK };
}

async function sign(
  tpp: Tpp,
  payload: string,
  signedAt = Math.floor(Date.now() / 1000),
): Promise<string> {
  const crit = Object.values(jwsClaims);
  const signed = await new FlattenedSign(Buffer.from(payload))
    .setProtectedHeader({
      alg: "PS256",
      kid: `${tpp.clientId}-key`,
      [jwsClaims.issuedAt]: signedAt,
      [jwsClaims.issuer]: `org-${tpp.clientId}/soft-${tpp.clientId}`,
      [jwsClaims.trustAnchor]: "openbanking.org.uk",
      crit,
    })
    .sign(tpp.key, { crit: Object.fromEntries(crit.map((name) => [name, true])) });
  return `${signed.protected}..${signed.signature}`;
}

async function addTpp(database: Database, clientId: string): Promise<Tpp> {
  const { key, jwk } = await makeKeyPair(`${clientId}-key`);
  await addClient(database, clientId, {
    roles: ["PISP"],
    keys: [jwk as RegisteredKey],
    setting: { certificateBound: false },
  });
  return { clientId, key, token: await addPaymentsToken(database, clientId, null) };
}

/** Adds a token that expires later than the time of any test. */
async function addPaymentsToken(
  database: Database,
  clientId: string,
  grantId: string | null,
): Promise<string> {
  const expiresAt = Temporal.Instant.from("2040-01-01T00:00:00Z");
  return addToken(database, { clientId, scope: "payments", grantId, expiresAt });
}

async function insertAccounts(database: Database): Promise<void> {
  await addCustomers(database, [{ customerId: "customer-ann", login: "ann" }]);
  const { current, joint, savings, card, euro } = accounts;
  const business = { accountType: "Business", signatoriesRequired: 2 };
  await addAccounts(database, [
    { accountId: current, sortCodeAccountNumber: numbers.current },
    { accountId: joint, ...business, sortCodeAccountNumber: numbers.joint },
    { accountId: savings, accountSubType: "Savings", sortCodeAccountNumber: "40478433333333" },
    { accountId: card, accountSubType: "CreditCard", maskedPan: "****1234" },
    { accountId: euro, currency: "EUR", iban: "GB05ALDG40478455555555" },
  ]);
  await addLedgerAccounts(database, [
    ...[current, joint, savings, card].map((accountId) => ({ accountId })),
    { accountId: euro, currency: "EUR" },
    { accountId: "test-capital", kind: "internal" },
  ]);
  await addPostings(database, [
    { postingId: "opening", from: "test-capital", to: current, amountMinor: 5000n },
  ]);
}
