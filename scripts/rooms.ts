/** A room of the source tree. */
export type Room = {
  /** Its position in the order of imports. */
  step: number;
  /** The tables and views that only this room names in SQL. */
  tables?: readonly string[];
  /** The rooms whose SQL may read all or some of these tables, but not write to them. */
  readers?: Record<string, "all" | readonly string[]>;
  /** SQL functions that only this room and the listed files may call. */
  functions?: Record<string, readonly string[]>;
  /** A folder of the room that no other room, test or benchmark may import. */
  inner?: string;
  /**
   * The folders of the room in the order of imports: a folder imports only from those before it.
   * A file directly in the room is not in the order. It is either one of the words that the folders
   * import, or it puts the folders together, but never both (imports.ts: "both sides").
   */
  folders?: readonly string[];
};

/**
 * The rooms under src/. A file may import from lower steps and from its own room. Two rooms on the
 * same step never import each other: the server passes values and functions between them.
 */
export const rooms: Record<string, Room> = {
  lib: { step: 0 },
  certificates: { step: 1 },
  standard: {
    step: 1,
    folders: [
      "shared",
      "descriptions",
      "aisp-v3.1",
      "aisp-v4.0",
      "cbpii-v3.1",
      "cbpii-v4.0",
      "events-v4.0",
      "events-v3.1",
      "pisp-v3.1",
      "pisp-v4.0",
    ],
  },
  config: { step: 2 },
  storage: { step: 2, tables: ["primary_timeline"] },
  bank: { step: 3 },
  history: { step: 3, tables: ["change"] },
  http: {
    step: 3,
    folders: ["headers", "outgoing", "refusal", "signature", "connection", "access", "body"],
  },
  pages: { step: 3, folders: ["assets", "portal"] },
  "account-store": {
    step: 4,
    tables: [
      "account",
      "account_balance",
      "account_freshness",
      "account_holder",
      "account_statement",
      "account_transaction",
      "beneficiary",
      "channel_scheduled_payment",
      "channel_standing_order",
      "direct_debit",
      "fact_refusal",
      "feed_source",
      "offer",
      "party",
      "product",
      "removed_fact",
    ],
    // the sandbox bank has no second copy of the facts that it has written
    readers: { accounts: "all", sandbox: "all" },
    // the ledger calls the feed inside its own SQL statements
    functions: {
      feed_balances: ["migrations/0006_ledger.sql", "migrations/0034_statement_now.sql"],
      feed_transactions: ["migrations/0006_ledger.sql"],
      lock_accounts: ["migrations/0006_ledger.sql"],
      withdraw_interim_statements: ["migrations/0034_statement_now.sql"],
    },
    // every fact comes in through feed.ts
    inner: "storing",
    folders: ["storing"],
  },
  clients: {
    step: 4,
    tables: ["client", "client_key", "client_setting", "organisation", "software"],
    readers: { auth: "all", sandbox: "all", server: "all" },
  },
  consents: {
    step: 4,
    tables: [
      "attached_data",
      "consent",
      "consent_account",
      "consent_attempt",
      "consent_authorisation",
      "unattended_access",
    ],
  },
  events: { step: 4, tables: ["event", "event_cursor", "event_subscription"] },
  signing: { step: 4, tables: ["signing_key"] },
  accounts: {
    step: 5,
    folders: ["reading", "statement-file", "views", "resources", "versions", "consent"],
  },
  channels: { step: 5 },
  connector: { step: 5, folders: ["kit"] },
  funds: { step: 5, tables: ["funds_confirmation"], folders: ["versions"] },
  payments: {
    step: 5,
    tables: [
      "idempotency_key",
      "limit_use",
      "payment",
      "payment_failure",
      "payment_file",
      "payment_file_batch",
      "payment_file_chunk",
      "payment_order",
      "scheduled_payment",
      "scheme_list",
      "standing_order",
    ],
    readers: { accounts: ["scheduled_payment", "standing_order"] },
    // the words of a request, what is stored, what a kind and a shape are, the parts of the shapes,
    // the shapes, the kinds, and what is done with any kind
    folders: [
      "calendar",
      "request",
      "schedule",
      "order",
      "formats",
      "definitions",
      "details",
      "limits",
      "international",
      "files",
      "shapes",
      "kinds",
      "pain-001",
      "versions",
      "consent",
      "submission",
      "execution",
    ],
  },
  "request-log": { step: 5, tables: ["request_log_chunk"], folders: ["explain"] },
  registration: { step: 5, tables: ["registration_attempt", "registration_jti"] },
  auth: {
    step: 6,
    tables: [
      "access_token",
      "backchannel_request",
      "journey",
      "login_attempt",
      "login_challenge",
      "oidc_artifact",
      "own_session",
    ],
    folders: ["login", "provider", "journey", "backchannel", "own-pages"],
  },
  notices: { step: 6, tables: ["notice_cursor", "notice_skip"] },
  sandbox: {
    step: 6,
    tables: [
      "bank_payment",
      "customer",
      "direct_debit_collection",
      "directory_key",
      "directory_software",
      "exchange_contract",
      "hold",
      "ledger_account",
      "own_customer",
      "posting",
      "sandbox_certificate",
      "sandbox_challenge",
      "sandbox_clock",
      "sandbox_failing_code",
      "sandbox_income",
      "sandbox_mandate",
      "sandbox_order_act",
      "sandbox_passkey",
      "sandbox_return",
      "sandbox_revoked_certificate",
      "sandbox_seed",
      "sandbox_statement_due",
    ],
    folders: [
      "bank",
      "direct-debits",
      "directory",
      "incomes",
      "products",
      "personas",
      "own-data",
      "time",
      "test-tpp",
      "robust",
      "controls",
      "scenarios",
    ],
  },
  server: {
    step: 7,
    folders: [
      "examples",
      "health",
      "listeners",
      "tracing",
      "opening",
      "keys",
      "judge",
      "portal",
      "routes",
      "sandbox",
    ],
  },
  worlds: { step: 8 },
  testing: { step: 8 },
  cli: { step: 9 },
};

/** Files that are used without an import, as patterns, each with the reason. */
export const entryFiles: Record<string, string> = {
  "src/main\\.ts": "the process",
  "src/port\\.ts": "the package exports it as aldgate/port",
  "src/testing/entry\\.ts": "the package exports it as aldgate/testing",
  "src/testing/make-template\\.ts": "a worker thread, started from its path",
  "src/sandbox/bank/password-worker\\.ts": "a worker thread, started from its path",
  "src/pages/assets/.*\\.js": "loaded by browsers",
  "test/cli/first-hour/.*\\.mjs": "a program of a developer, which a test copies into a folder",
};

/** A rule that some files still break, with the reason. */
export type Exception = { files: readonly string[]; reason: string };

/**
 * The lists of API versions. Only these files import the folder of a version, so that a version can
 * be dropped by deleting its line there and its folders.
 */
export const versionLists: readonly string[] = [
  "src/accounts/account-versions.ts",
  "src/events/event-versions.ts",
  "src/funds/funds-versions.ts",
  "src/payments/payment-kinds.ts",
];

/** Known circles of imports that will be removed. */
export const knownCircles: readonly Exception[] = [];

/** Files that a subfolder of their folder imports, although they lead to a subfolder. */
export const knownSides: readonly Exception[] = [
  {
    files: ["src/server/parts.ts"],
    reason:
      "only types: what the parts of a server share is made of the parts, and each part reads it",
  },
];

/** The room that owns each migration file. */
export const migrationRooms: Record<string, string> = {
  "0000_history.sql": "history",
  "0001_clients.sql": "clients",
  "0002_consents.sql": "consents",
  "0003_auth.sql": "auth",
  "0004_account_store.sql": "account-store",
  "0005_payments.sql": "payments",
  "0006_ledger.sql": "sandbox",
  "0007_sandbox.sql": "sandbox",
  "0008_events.sql": "events",
  "0009_funds.sql": "funds",
  "0010_registration.sql": "registration",
  "0011_signing.sql": "signing",
  "0012_journey_locks.sql": "auth",
  "0013_account_numbers.sql": "account-store",
  "0014_failing_payments.sql": "payments",
  "0015_own_messages.sql": "auth",
  "0016_scheme_status.sql": "clients",
  "0017_journey_time.sql": "auth",
  "0018_scheme_list.sql": "payments",
  "0019_paused_consents.sql": "consents",
  "0020_scheme_list_failures.sql": "payments",
  "0021_new_codes.sql": "auth",
  "0022_limits_from_one_list.sql": "payments",
  "0023_clock_start.sql": "sandbox",
  "0024_request_log.sql": "request-log",
  "0025_provoked.sql": "sandbox",
  "0026_own_customers.sql": "sandbox",
  "0027_payee_check.sql": "auth",
  "0028_feed_sources.sql": "account-store",
  "0029_notices.sql": "notices",
  "0030_refusal.sql": "auth",
  "0031_beneficial_owner.sql": "account-store",
  "0032_removed_accounts.sql": "account-store",
  "0033_interim_statements.sql": "account-store",
  "0034_statement_now.sql": "sandbox",
  "0035_signatures.sql": "payments",
  "0036_account_with_transactions.sql": "account-store",
  "0037_step_up.sql": "auth",
  "0038_skipped_notices.sql": "notices",
  "0040_approval_evidence.sql": "consents",
  "0041_approval_methods.sql": "auth",
  "0042_backchannel_authentication.sql": "auth",
  "0045_passkey_method.sql": "auth",
  "0045_passkeys.sql": "sandbox",
  "0046_order_acts.sql": "sandbox",
  "0047_attached_data.sql": "consents",
  "0048_app_refusals.sql": "auth",
  "0049_replaced_requests.sql": "auth",
  "0050_journey_showings.sql": "auth",
  "0050_showings.sql": "consents",
  "0051_erased_facts.sql": "account-store",
  "0054_primary_timeline.sql": "storage",
  "0057_unapproved_journeys.sql": "consents",
  "0058_removals_to_forget.sql": "account-store",
  "0060_ended_histories.sql": "history",
  "0061_orders_of_consents.sql": "payments",
  "0062_request_log_by_time.sql": "request-log",
  "0063_login_methods.sql": "auth",
  "0064_repeated_refusals.sql": "account-store",
  "0065_facts_of_challenges.sql": "auth",
};

/** Files that may name tables of other rooms, with the reason. */
export type ForeignTables = { reason: string; files: Record<string, readonly string[]> };

/**
 * The files that may name tables of other rooms. A test is listed only if the statement or the list
 * is what it tests: other tests use the fixtures of the owner's folder in test/.
 */
export const foreignTables: readonly ForeignTables[] = [
  {
    reason: "each statement breaks a row of some room in a way that verify must find",
    files: {
      "test/payments/verify-slices.test.ts": [
        "account",
        "account_balance",
        "account_statement",
        "account_transaction",
        "bank_payment",
        "client",
        "consent",
        "direct_debit_collection",
        "funds_confirmation",
        "hold",
        "ledger_account",
        "posting",
        "sandbox_mandate",
      ],
    },
  },
  {
    reason: "the database must refuse these statements, whichever room's table they change",
    files: { "test/sandbox/bank/ledger.test.ts": ["account", "account_transaction"] },
  },
  {
    reason: "the test makes rows of each table that grows with every journey due for a sweep",
    files: {
      "test/journeys/growing-tables.test.ts": [
        "access_token",
        "idempotency_key",
        "journey",
        "login_attempt",
        "login_challenge",
        "oidc_artifact",
        "sandbox_challenge",
      ],
    },
  },
  {
    reason: "the plan of the statement is tested: it uses an index",
    files: { "test/payments/shared-numbers.test.ts": ["account"] },
  },
  {
    reason: "a list of the tables whose rows are counted; no statement reads or changes them",
    files: {
      "test/attacks/anonymous-writes.ts": [
        "change",
        "client_key",
        "consent",
        "journey",
        "login_attempt",
        "request_log_chunk",
      ],
      "test/storage/updates-in-place.test.ts": ["consent", "journey"],
    },
  },
];
