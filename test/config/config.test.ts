import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { configOf } from "#src/cli/load-config.ts";
import { addressesOf } from "#src/config/addresses.ts";
import { ConfigError, configSchema, loadConfig } from "#src/config/config.ts";
import { renderReference } from "#src/config/reference.ts";
import { retiredSettings } from "#src/config/retired-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "aldgate-config-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the faults of a refused configuration, one message per fault. */
function faultsOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
}

type Environment = Record<string, string | undefined>;
const refused = (environment: Environment, file?: Record<string, unknown>): string[] =>
  faultsOf(() => loadConfig(environment, file));

/** Writes a configuration file with this text, and returns the variable that names it. */
function fileWith(text: string): { ALDGATE_CONFIG: string } {
  const path = join(folder, "config.json");
  writeFileSync(path, text);
  return { ALDGATE_CONFIG: path };
}

const keys = Object.keys(configSchema.properties);

test("a sandbox needs no configuration", () => {
  const config = loadConfig({});
  assert.equal(config.ALDGATE_PROFILE, "sandbox");
  assert.deepEqual(addressesOf(config), {
    publicUrl: "http://localhost:8080",
    mtlsUrl: "https://localhost:8443",
  });
});

test("every setting is documented and says who sets it, and the page matches the schema", () => {
  const page = renderReference();
  type Property = { description?: string; usedBy?: string };
  const properties = configSchema.properties as Record<string, Property>;
  for (const key of keys) {
    assert.ok(properties[key]?.description, `${key} has a description`);
    assert.ok(properties[key]?.usedBy, `${key} says who sets it (usedBy)`);
    assert.ok(page.includes(`| \`${key}\` |`), `${key} stands on the page`);
  }
  const committed = new URL("../../docs/configuration.md", import.meta.url);
  assert.equal(readFileSync(committed, "utf8"), `${page}\n`);
});

test("an unknown variable with the prefix ALDGATE_ is refused by name", () => {
  const [fault = "", ...more] = refused({ ALDGATE_PROFIEL: "production" });
  assert.match(fault, /^ALDGATE_PROFIEL: unknown; see docs\/configuration\.md/);
  assert.deepEqual(more, []);
});

test("variables without the prefix or a known name are ignored", () => {
  assert.deepEqual(refused({ PATH: "/bin", PUBLIC: "yes" }), []);
});

test("an unknown key of a file is refused by name, with or without the prefix", () => {
  for (const key of ["PUBLIC_PROT", "ALDGATE_PORT", "toString"]) {
    const [fault = ""] = refused({}, { [key]: 1 });
    assert.ok(fault.startsWith(`${key}: unknown`), fault);
  }
});

test("a setting that no longer exists is refused in a variable and in a file, and says what applies", () => {
  for (const [key, applies] of Object.entries(retiredSettings)) {
    assert.ok(!keys.includes(key), key);
    const fault = `${key}: remove it, because this setting no longer exists; ${applies}`;
    assert.deepEqual(refused({ [key]: "1" }), [fault]);
    assert.deepEqual(refused({}, { [key]: 1 }), [fault]);
  }
});

test("a variable overrides the file, and the file overrides the default", () => {
  const given = fileWith('{"PUBLIC_PORT": 9001, "MTLS_PORT": 9002}');
  const config = configOf({ ...given, PUBLIC_PORT: "9003" });
  assert.equal(config.PUBLIC_PORT, 9003);
  assert.equal(config.MTLS_PORT, 9002);
});

test("a loaded configuration cannot be changed", () => {
  assert.ok(Object.isFrozen(loadConfig({})));
});

const brokenFiles: [title: string, text: string | null, fault: RegExp][] = [
  ["does not exist", null, /there is no file/],
  ["is not JSON", "PUBLIC_PORT=1", /is not JSON/],
  ["contains a list", "[]", /must contain a JSON object/],
  ["contains null", "null", /must contain a JSON object/],
];
for (const [title, text, expected] of brokenFiles) {
  test(`a file that ${title} is refused`, () => {
    const given = text === null ? { ALDGATE_CONFIG: join(folder, "none") } : fileWith(text);
    assert.match(faultsOf(() => configOf(given))[0] ?? "", expected);
  });
}

/** Values that each key refuses, as strings, because the environment has strings. */
const invalid: Partial<Record<keyof typeof configSchema.properties, string[]>> = {
  ALDGATE_PROFILE: ["", "test", "Production"],
  DATABASE_URL: ["", "mysql://localhost/x", "localhost"],
  READ_DATABASE_URL: ["", "mysql://localhost/x", "localhost"],
  DATABASE_WITHOUT_TLS: ["", "yes", "1"],
  DATABASE_CONNECTIONS: ["0", "65", "four", "1.5"],
  DATABASE_CONNECT_SECONDS: ["0", "1.5", "86401"],
  PUBLIC_PORT: ["-1", "65536", "http", "80.5"],
  MTLS_PORT: ["-1", "65536", "https"],
  MANAGEMENT_PORT: ["-1", "65536", "http"],
  CONNECTIONS_LIMIT: ["9", "many"],
  CONNECTIONS_PER_ADDRESS: ["0"],
  PUBLIC_URL: ["", "localhost:8080", "ftp://bank.example"],
  MTLS_URL: ["", "http://bank.example"],
  PUBLIC_TLS: ["", "yes", "on"],
  REQUEST_LOG_ENTRIES: ["-1", "10000001", "many"],
  REQUEST_LOG_DAYS: ["0", "401"],
  REQUEST_LOG_BODIES: ["", "yes"],
  COOKIE_SECRET: ["", "short"],
  BANK_NAME: ["", "x".repeat(71)],
  ORGANISATION_ID: ["", "with space", "x".repeat(19)],
  IDEMPOTENCY_CONFLICT_STATUS: ["409", "four hundred"],
  STRICT_OAS: ["maybe"],
  CUT_OFF_STRATEGY: ["ignore", "", "accept;reject", "card payment=reject"],
  CUT_OFF_TIME: ["24:00", "7:00", "noon", "16:00,", "domestic-payment=noon"],
  PAYMENT_LIMIT: ["0", "-1", "1.5", "much"],
  STANDING_ORDER_V3_FREQUENCIES: ["maybe"],
  CONSENT_LIFETIME_SECONDS: ["59", "-1"],
  RATE_LIMIT_PER_SECOND: ["-1", "many"],
  RATE_LIMIT_PER_CALLER: ["-1"],
  BYTES_PER_SECOND: ["-1"],
  REQUESTS_IN_PROGRESS: ["-1"],
  LATE_AFTER_MILLISECONDS: ["-1", "10001"],
  EVENT_LONG_POLL_SECONDS: ["-1", "26", "1.5"],
  EVENT_RECEIVER_NETWORKS: ["10.0.0.0", "private"],
  REVOCATION_POLICY: ["medium", ""],
  REVOCATION_NETWORKS: ["10.0.0.0", "private"],
  CLIENT_CERTIFICATE_PROXIES: ["10.0.0.7", "nginx"],
  CLIENT_CERTIFICATE_HEADER: ["", "client cert", "a:b"],
  REGISTRATION_NETWORKS: ["10.0.0.0", "private"],
  BANK_URL: ["", "core.bank.example", "unix:/run/core"],
  ATTACHED_DATA_KEYS: ["", "a=0123", `a key=${"0".repeat(64)}`, "0".repeat(64)],
  BANK_TOKEN: ["", "short", "a token with spaces and more than 32 characters"],
  SIGNING_SERVICE_URL: ["", "signer.bank.example", "unix:/run/signer"],
  REGISTRATION_VERSION: ["3", "3.1", "4.0"],
  REGISTRATION_STATEMENT_MINUTES: ["-1", "1.5"],
  REGISTRATION_ACCEPT_JSON: ["yes"],
  REGISTRATION_ES256: ["yes"],
  REGISTRATION_PER_MINUTE: ["-1", "many"],
  UNATTENDED_DAILY_LIMIT: ["-1"],
  FUNDS_CONFIRMATION_DAILY_LIMIT: ["-1", "1.5", "many"],
  REAUTHENTICATION_DAYS: ["-1", "1.5"],
  PAGE_SIZE: ["24", "1001", "many"],
  FILE_LIMIT_BYTES: ["1023"],
  SPOOL_FOLDER: [""],
  FILE_PAYMENTS_LIMIT: ["0"],
  CLOCK_START: ["", "now", "2027-03-01", "2027-03-01T09:00", "1999-12-31T09:00Z"],
  CLOCK_RATE: ["-1", "0.5", "86401", "fast"],
  SANDBOX_HOSTS: ["", "http://bank.test", "bank.test:8080", "a,,b"],
  SANDBOX_CONTROLS_NETWORKS: ["", "*", "10.0.0.1", "10.0.0.0/8;::/0", "all/0"],
  FACTS_MAX_AGE_SECONDS: ["", "soon", "-1", "86400,", "others=60"],
  TRANSACTIONS_KEEP_DAYS: ["0", "1.5", "forever"],
  STATEMENTS_KEEP_DAYS: ["0", "1.5", "forever"],
  CLOSED_ACCOUNTS_KEEP_DAYS: ["0", "1.5", "forever"],
  CONSENTS_KEEP_DAYS: ["399", "400.5", "forever"],
  APP_TOKEN: ["", "short", "x".repeat(31), `with space ${"x".repeat(32)}`],
  CHANNELS_TOKEN: ["", "short", "x".repeat(31), `with space ${"x".repeat(32)}`],
  SANDBOX_CONTROLS_TOKEN: ["", "short", "x".repeat(23), `with space ${"x".repeat(24)}`],
  WORLDS_OPEN: ["0", "1001", "all"],
  WORLDS_IDLE_SECONDS: ["0", "ten"],
  WORLD_PORTS: ["", "8080", "80-90", "21000-", "all"],
  BACKCHANNEL_AUTHENTICATION: ["", "yes"],
  APP_LINKS_APPLE: ["", "com.bank.app", "ABCDE12345.com.bank app"],
  APP_LINKS_ANDROID: ["", "com.bank.app", "com.bank.app=AA:BB"],
  BANK_LOGIN_ISSUER: ["", "login.bank.example", "http://login.bank.example"],
  BANK_LOGIN_CLIENT_ID: [""],
  BANK_LOGIN_ACR: [""],
  BANK_LOGIN_CONFIRMS: ["", "both"],
  LOGIN_CONCURRENCY: ["0", "1.5"],
  LOGIN_FAILURES_PER_MINUTE: ["-1", "1.5"],
  LOG_LEVEL: ["loud", "INFO"],
  SHUTDOWN_SECONDS: ["-1"],
  BANK_IDENTIFY_DEADLINE_MS: ["99", "60001"],
  BANK_READ_DEADLINE_MS: ["99", "60001"],
  BANK_QUOTE_DEADLINE_MS: ["99", "60001"],
  BANK_EXECUTE_DEADLINE_MS: ["99", "14001"],
  PAYMENT_LEASE_SECONDS: ["0", "3601", "1.5"],
  BANK_CALLS_AT_ONCE: ["0"],
  BANK_HOLIDAYS: ["Christmas", "2027-13-01", "2027-01-01;2027-01-02"],
  BANK_BREAKER_FAILURES: ["0"],
  BANK_BREAKER_RETRY_MS: ["99"],
  BANK_HOME_URL: ["", "www.bank.example", "https://bank.example/a b"],
  MANAGEMENT_HOSTS: ["", "a host", "a;b"],
  VRP_SCHEME_CONTEXTS: ["", "TransferToSelf;TransferToThirdParty", "any,"],
  VRP_SCHEME_ACCOUNT_TYPES: ["", "Personal;Business", "account 1"],
  VRP_SCHEME_LIST_URL: ["", "http://gateway.bank.example/list"],
};

/** Keys that accept any text. */
const free = [
  "ALDGATE_DATA",
  "PUBLIC_HOST",
  "MANAGEMENT_HOST",
  "TLS_CERTIFICATE",
  "TLS_KEY",
  "CLIENT_CA",
  "SIGNING_SERVICE_TOKEN_FILE",
  "SIGNING_SERVICE_CA",
  "SIGNING_SERVICE_CERTIFICATE",
  "SIGNING_SERVICE_CERTIFICATE_KEY",
  "SIGNING_KEY",
  "SIGNING_CERTIFICATE",
  "BANK_MODULE",
  "TRACING_MODULE",
  "BANK_CA",
  "BANK_CERTIFICATE",
  "BANK_CERTIFICATE_KEY",
  "BANK_SIGNING_KEY",
  "BANK_LOGIN_KEY",
  "TRUST_ANCHOR",
  "REGISTRATION_ISSUERS",
  "VRP_SCHEME_CLIENT",
  "REGISTRATION_AUDIENCES",
];

test("every setting has invalid values in this test, or accepts any text", () => {
  assert.deepEqual([...Object.keys(invalid), ...free].sort(), [...keys].sort());
});

for (const [key, values] of Object.entries(invalid)) {
  for (const value of values) {
    test(`${key}=${value || "(empty)"} is refused, and told in words what it must be`, () => {
      const [fault = "", ...more] = refused({ [key]: value });
      assert.deepEqual(more, []);
      assert.ok(fault.startsWith(`${key}: must be `), fault);
      // a text without a form would be refused without its reason
      assert.ok(!fault.endsWith("must be a text"), fault);
    });
  }
}

test("all configuration faults are reported together", () => {
  const faults = refused({ PUBLIC_PORT: "x", MTLS_PORT: "y", ALDGATE_NOTHING: "1" });
  const named = new Set(faults.map((fault) => fault.split(":")[0]));
  assert.deepEqual(named, new Set(["ALDGATE_NOTHING", "PUBLIC_PORT", "MTLS_PORT"]));
});

test("every fault of many is reported, and a setting with few values names them", () => {
  const faults = refused({
    ALDGATE_PROFILE: "demo",
    IDEMPOTENCY_CONFLICT_STATUS: "409",
    LOG_LEVEL: "loud",
    PAGE_SIZE: "many",
    PUBLIC_PORT: "x",
    MTLS_PORT: "y",
  });
  assert.deepEqual(faults.map((fault) => fault.split(":")[0]).sort(), [
    "ALDGATE_PROFILE",
    "IDEMPOTENCY_CONFLICT_STATUS",
    "LOG_LEVEL",
    "MTLS_PORT",
    "PAGE_SIZE",
    "PUBLIC_PORT",
  ]);
  assert.ok(faults.includes("IDEMPOTENCY_CONFLICT_STATUS: must be 400 or 422"));
  assert.ok(faults.includes("PUBLIC_PORT: must be a whole number from 0 to 65535"));
});

test("a file's value of another JSON type is refused, naming its key", () => {
  const wrong = { PUBLIC_PORT: null, MTLS_PORT: 84.5, PUBLIC_TLS: 1, BANK_NAME: 7, LOG_LEVEL: [] };
  for (const [key, value] of Object.entries(wrong)) {
    const faults = refused({}, { [key]: value });
    assert.ok(faults.length > 0 && faults.every((fault) => fault.startsWith(`${key}: `)), key);
  }
});

test("a file may write numbers and booleans as strings, as variables do", () => {
  const config = loadConfig({ STRICT_OAS: "true" }, { PUBLIC_PORT: "9001", PUBLIC_TLS: "false" });
  assert.equal(config.STRICT_OAS, true);
  assert.equal(config.PUBLIC_PORT, 9001);
  assert.equal(config.PUBLIC_TLS, false);
  assert.equal(loadConfig({ IDEMPOTENCY_CONFLICT_STATUS: "422" }).IDEMPOTENCY_CONFLICT_STATUS, 422);
});
