import assert from "node:assert/strict";
import type { FastifyInstance } from "fastify";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { accountOperations } from "#src/accounts/operations.ts";
import type { AccountApiId, AccountResource } from "#src/accounts/resource.ts";
import { accessRow } from "#src/auth/access-row.ts";
import { grantDeletions } from "#src/auth/grant-deletions.ts";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import { createStatementDocuments } from "#src/sandbox/bank/statement-document/statement-document.ts";
import type { Database } from "#src/storage/database.ts";
import { addAccounts } from "#test/account-store/add-accounts.ts";
import { addHolders } from "#test/account-store/add-holders.ts";
import { addToken } from "#test/auth/stored-rows.ts";
import { addClient } from "#test/clients/add-client.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { serve } from "#test/http/serve.ts";
import { onPostgres } from "#test/postgres.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { addCustomers } from "#test/sandbox/stored-customers.ts";
import { addLedgerAccounts } from "#test/sandbox/stored-ledger.ts";
import { publishedFiles } from "#test/standard/published.ts";
import { publishedValidator } from "#test/standard/published-responses.ts";
import { addEntries, type Entry } from "./add-entries.ts";
import { type TestedVersion, versions } from "./versions.ts";

/** Why a concurrency test is skipped; false on PostgreSQL. */
export const oneConnection = onPostgres
  ? false
  : "PGlite has one connection, so calls follow one another; the PostgreSQL lane shows this";

const versionOf = (id: AccountApiId): TestedVersion =>
  present(
    versions.find((version) => version.id === id),
    id,
  );

/** The base path of the version that is called by default. */
export const { basePath } = versionOf("aisp-v3.1");
export const publicUrl = "https://bank.test";

/** Every permission for the resources that are served. */
export const everything = [
  "ReadAccountsDetail",
  "ReadBalances",
  "ReadTransactionsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
  "ReadBeneficiariesDetail",
  "ReadDirectDebits",
  "ReadScheduledPaymentsDetail",
  "ReadStandingOrdersDetail",
  "ReadProducts",
  "ReadOffers",
  "ReadStatementsDetail",
  "ReadParty",
  "ReadPartyPSU",
];

export type Answer = {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  raw: Buffer;
  // bodies differ by resource, and tests read members of all of them
  // biome-ignore lint/suspicious/noExplicitAny: an assertion on an absent member fails
  body: any;
};

type Options = {
  /** The core's documents; by default, those of the sandbox bank. */
  bank?: Pick<Bank, "loadStatementDocument">;
  unattended?: number;
  /** The rate limit, whose headers the responses then have; without it, there is no limit. */
  requestsPerSecond?: number;
  reauthenticationDays?: number;
  pageSize?: number;
  /** FACTS_MAX_AGE_SECONDS. */
  maxAge?: string;
  resources?: readonly AccountResource[];
  /** The clients to add: none for a second bank on the same database. */
  clients?: readonly string[];
};

/** A bank that only has account information, on a database of the lane's kind. */
export class AccountsBank {
  readonly database: Database;
  readonly app: FastifyInstance;
  /** The version that is called, and on which consents are created. */
  readonly version: TestedVersion;
  readonly #time: { now: Temporal.Instant };

  private constructor(
    database: Database,
    app: FastifyInstance,
    version: TestedVersion,
    time: { now: Temporal.Instant },
  ) {
    this.database = database;
    this.app = app;
    this.version = version;
    this.#time = time;
  }

  /** The bank's time, which tests may set. */
  get now(): Temporal.Instant {
    return this.#time.now;
  }
  set now(instant: Temporal.Instant) {
    this.#time.now = instant;
  }

  /** Returns the same bank, called through another version. */
  through(id: AccountApiId): AccountsBank {
    return new AccountsBank(this.database, this.app, versionOf(id), this.#time);
  }

  static async open(options: Options = {}): Promise<AccountsBank> {
    return AccountsBank.over(await openEmpty(), options);
  }

  /** Opens the bank on a database that has only the newest schema. */
  static async over(database: Database, options: Options = {}): Promise<AccountsBank> {
    const { resources } = options;
    const operations = accountOperations({
      database,
      bank: options.bank ?? createStatementDocuments(database, "Aldgate Bank"),
      accessRow,
      grantDeletions,
      config: {
        UNATTENDED_DAILY_LIMIT: options.unattended ?? 0,
        STRICT_OAS: false,
        REAUTHENTICATION_DAYS: options.reauthenticationDays ?? 0,
        PAGE_SIZE: options.pageSize ?? 25,
        ...(options.maxAge === undefined ? {} : { FACTS_MAX_AGE_SECONDS: options.maxAge }),
      },
      ...(resources === undefined ? {} : { resources }),
    });
    const time = { now: Temporal.Instant.from("2026-11-21T10:00:00Z") };
    const clock = { now: () => time.now };
    const { requestsPerSecond = 0 } = options;
    const served = { database, clock, publicUrl, mtlsUrl: publicUrl, requestsPerSecond };
    const { app } = await serve(operations, served);
    const bank = new AccountsBank(database, app, versionOf("aisp-v3.1"), time);
    for (const clientId of options.clients ?? ["tpp-1", "tpp-2"]) {
      await addClient(database, clientId, {
        roles: ["AISP"],
        setting: { certificateBound: false },
      });
    }
    return bank;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.database.close();
  }

  async call(
    method: "GET" | "POST" | "DELETE",
    path: string,
    token: string | null,
    more: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { body, headers } = more;
    const response = await this.app.inject({
      method,
      url: path.startsWith("https:") ? path.slice(publicUrl.length) : this.version.basePath + path,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    const answer: Answer = {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      raw: response.rawPayload,
      body: isJson(response.headers["content-type"]) ? JSON.parse(response.body) : null,
    };
    assert.equal(answer.headers["x-jws-signature"], undefined, "account information is unsigned");
    checkAgainstPublished(method, path, answer, this.version);
    return answer;
  }

  get(path: string, token: string | null, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call("GET", path, token, { headers });
  }

  /** Adds an unbound token of the client credentials grant. */
  async clientToken(clientId = "tpp-1", scope = "accounts"): Promise<string> {
    return this.addToken("client_credentials", clientId, scope, null);
  }

  async addToken(
    kind: string,
    clientId: string,
    scope: string,
    grantId: string | null,
    more: { thumbprint?: string; expiresAt?: Temporal.Instant } = {},
  ): Promise<string> {
    const expiresAt = this.now.add({ hours: 1 });
    return addToken(this.database, { kind, clientId, scope, grantId, expiresAt, ...more });
  }

  /** Adds an authorised consent and a token for it. */
  async addConsent(consent: {
    customerId: string;
    accountIds: string[];
    permissions?: string[];
    from?: string;
    to?: string;
    expiresAt?: Temporal.Instant;
    clientId?: string;
  }): Promise<{ consentId: string; grantId: string; token: string }> {
    const consentId = newId("aac");
    const grantId = newId("grant");
    const clientId = consent.clientId ?? "tpp-1";
    const permissions = consent.permissions ?? everything;
    const body = { Data: { Permissions: permissions }, Risk: {} };
    const { version, now } = this;
    const given = { ...consent, consentId, clientId, grantId, permissions, body };
    const [kind, status] = ["account-access", "AUTH"];
    const authorised = { authorisedAt: now, authenticatedAt: now };
    await addConsents(this.database, [
      { ...given, ...authorised, kind, status, at: now, apiVersion: version.id },
    ]);
    const token = await this.addToken("authorization_code", clientId, "openid accounts", grantId);
    return { consentId, grantId, token };
  }

  async addCustomer(): Promise<string> {
    const customerId = newId("customer");
    const name = "Ann Example";
    await addCustomers(this.database, [{ customerId, name }]);
    await createAccountFeed(this.database).apply({
      parties: [
        { version: 1n, partyId: customerId, name, legalStructure: null, lei: null, contact: null },
      ],
    });
    return customerId;
  }

  async addAccount(
    customerId: string,
    account: {
      subType?: string;
      balance?: bigint;
      held?: bigint;
      limit?: bigint;
      maskedPan?: string;
    } = {},
  ): Promise<string> {
    const accountId = newId("acc");
    const number = account.maskedPan ? null : String(20_000_000_000_000 + serial++);
    const { subType = "CurrentAccount", balance, held, limit, maskedPan } = account;
    await addAccounts(this.database, [
      {
        accountId,
        accountSubType: subType,
        nickname: "Bills",
        openedOn: "2019-05-01",
        statusUpdatedAt: Temporal.Instant.from("2019-05-01T09:30:00Z"),
        sortCodeAccountNumber: number,
        maskedPan,
      },
    ]);
    const funds = { balanceMinor: balance, heldMinor: held, limitMinor: limit };
    await addLedgerAccounts(this.database, [{ accountId, ...funds }]);
    await addHolders(this.database, [{ accountId, customerId, role: "owner" }]);
    return accountId;
  }

  /** Books transactions of £1 each. Returns their ids. */
  async addTransactions(accountId: string, entries: readonly Entry[]): Promise<string[]> {
    return addEntries(this.database, accountId, entries);
  }
}

const isJson = (contentType: unknown): boolean =>
  String(contentType).startsWith("application/json");

let serial = 10_000_000;

/** The published schemas of the responses to these paths. */
const schemas: Readonly<Record<string, string>> = {
  "/account-access-consents": "OBReadConsentResponse1",
  "/accounts": "OBReadAccount6",
  "/accounts/*": "OBReadAccount6",
  "/accounts/*/balances": "OBReadBalance1",
  "/accounts/*/transactions": "OBReadTransaction6",
  "/accounts/*/beneficiaries": "OBReadBeneficiary5",
  "/accounts/*/direct-debits": "OBReadDirectDebit2",
  "/accounts/*/scheduled-payments": "OBReadScheduledPayment3",
  "/accounts/*/standing-orders": "OBReadStandingOrder6",
  "/beneficiaries": "OBReadBeneficiary5",
  "/direct-debits": "OBReadDirectDebit2",
  "/scheduled-payments": "OBReadScheduledPayment3",
  "/standing-orders": "OBReadStandingOrder6",
  "/balances": "OBReadBalance1",
  "/transactions": "OBReadTransaction6",
  "/accounts/*/product": "OBReadProduct2",
  "/accounts/*/offers": "OBReadOffer1",
  "/accounts/*/party": "OBReadParty2",
  "/accounts/*/parties": "OBReadParty3",
  "/accounts/*/statements": "OBReadStatement2",
  "/accounts/*/statements/*": "OBReadStatement2",
  "/accounts/*/statements/*/transactions": "OBReadTransaction6",
  "/party": "OBReadParty2",
  "/products": "OBReadProduct2",
  "/offers": "OBReadOffer1",
  "/statements": "OBReadStatement2",
  error: "OBErrorResponse1",
};

/** Fails if a body does not match the published schema. `call` checks every body with it. */
export function checkAgainstPublished(
  method: string,
  path: string,
  { status, body }: Pick<Answer, "status" | "body">,
  { id, basePath: base }: TestedVersion = versionOf("aisp-v3.1"),
): void {
  if (body === null) return;
  const [plain = ""] = path.replace(publicUrl + base, "").split("?");
  const template = plain.startsWith("/account-access-consents")
    ? "/account-access-consents"
    : plain.replace(/^\/accounts\/[^/]+/, "/accounts/*").replace(/(\/statements)\/[^/]+/, "$1/*");
  const schema = schemas[status < 300 ? template : "error"];
  if (schema === undefined) return;
  const validate = publishedValidator(publishedFiles[id][0], schema);
  assert.ok(validate(body), `${method} ${path} ${status}: ${JSON.stringify(validate.errors)}`);
}
