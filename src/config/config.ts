import Type, { type TSchema } from "typebox";
import Value from "typebox/value";
import { coreSettings, holidaySettings } from "./bank-settings.ts";
import { certificateSettings } from "./certificate-settings.ts";
import { eventSettings } from "./event-settings.ts";
import { fileSettings } from "./file-settings.ts";
import { limitSettings } from "./limit-settings.ts";
import { loginSettings } from "./login-settings.ts";
import { managementSettings } from "./management-settings.ts";
import { registrationSettings } from "./registration-settings.ts";
import { schemeSettings } from "./scheme-settings.ts";
import { signingSettings } from "./signing-settings.ts";

/**
 * A value for all payment kinds that are made immediately, or for some by name:
 * `16:30,international-payment=15:00`. The server compares the names with its kinds.
 */
function perKind(value: string): string {
  const entry = `([a-z-]+=)?${value}`;
  return `^${entry}(, ?${entry})*$`;
}

const seconds = (least: number, value: number, description: string) =>
  Type.Integer({ default: value, minimum: least, maximum: 86_400, description });

// Time limits for PostgreSQL. If one is exceeded, the request gets 503 with Retry-After.
const databaseLimits = {
  DATABASE_CONNECT_SECONDS: seconds(
    1,
    5,
    "How long a PostgreSQL server may take to accept a connection or to answer a probe.",
  ),
  DATABASE_PROBE_SECONDS: seconds(
    1,
    5,
    "Interval between probes of idle PostgreSQL connections. TCP keep-alive uses the same value.",
  ),
  DATABASE_WAIT_SECONDS: seconds(1, 10, "How long a transaction waits for a free connection."),
  DATABASE_STATEMENT_SECONDS: seconds(0, 30, "How long one statement may take; 0 for no limit."),
  DATABASE_TRANSACTION_SECONDS: seconds(
    0,
    300,
    "How long one transaction may take; 0 for no limit.",
  ),
  DATABASE_LOCK_SECONDS: seconds(
    0,
    10,
    "How long a statement waits for a lock that another session holds; 0 for no limit.",
  ),
};

/**
 * The one schema of the configuration. The names are those of the environment variables; the JSON
 * file that ALDGATE_CONFIG names uses the same names. Unknown variables with the prefix ALDGATE_
 * and unknown names in the file are refused. The reference page is generated from the descriptions.
 */
export const configSchema = Type.Object(
  {
    ALDGATE_PROFILE: Type.Union([Type.Literal("sandbox"), Type.Literal("production")], {
      default: "sandbox",
      description:
        "`sandbox` generates missing keys and secrets, and serves the sandbox's controls.",
    }),
    ALDGATE_DATA: Type.String({
      default: "./data",
      description: "Folder of the embedded database, and of a sandbox's keys and certificates.",
    }),
    DATABASE_URL: Type.Optional(
      Type.String({
        pattern: "^postgres(ql)?://",
        description:
          "PostgreSQL to use in place of the embedded database. Production needs it. If the " +
          "URL names several hosts (`postgres://user:password@a:5432,b:5432/name`), the bank " +
          "uses the primary among them, and switches when another server is promoted. " +
          "`sslmode=verify-full` and `sslrootcert=/path/ca.pem` verify each server by its host " +
          "name.",
      }),
    ),
    DATABASE_WITHOUT_TLS: Type.Boolean({
      default: false,
      description:
        "Allows a DATABASE_URL without `sslmode=verify-full` in production, for a database on the " +
        "same machine or in a private network.",
    }),
    DATABASE_CONNECTIONS: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 64,
      description:
        "Size of each connection pool of a process. A process has one pool for single statements, " +
        "one for transactions, and one for reads that several requests share. The last of these " +
        "has at most 4 connections.",
    }),
    ...databaseLimits,
    PUBLIC_HOST: Type.String({
      default: "127.0.0.1",
      description: "Address of the public and the mutual TLS listener.",
    }),
    PUBLIC_PORT: Type.Integer({
      default: 8080,
      minimum: 0,
      maximum: 65535,
      description: "Port for browsers: pages, discovery, authorization endpoint, API reference.",
    }),
    MTLS_PORT: Type.Integer({
      default: 8443,
      minimum: 0,
      maximum: 65535,
      description: "Port for TPPs, with mutual TLS: token endpoint and the APIs.",
    }),
    CONNECTIONS_LIMIT: Type.Integer({
      default: 4000,
      minimum: 10,
      description:
        "Maximum number of open connections of the public and the mutual TLS listener together. " +
        "It is never more than three quarters of the file descriptors that the process may open.",
    }),
    CONNECTIONS_PER_ADDRESS: Type.Integer({
      default: 512,
      minimum: 1,
      description:
        "Maximum number of open connections from one address. Behind a load balancer, all callers " +
        "may share one address. In that case, use the value of CONNECTIONS_LIMIT, and limit " +
        "callers on the balancer.",
    }),
    ...managementSettings,
    PUBLIC_URL: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description:
          "Base URL for browsers, and the issuer of tokens. The default uses PUBLIC_PORT.",
      }),
    ),
    MTLS_URL: Type.Optional(
      Type.String({ pattern: "^https://", description: "Base URL for TPPs." }),
    ),
    PUBLIC_TLS: Type.Boolean({
      default: false,
      description: "Serves browsers over TLS too.",
    }),
    TLS_CERTIFICATE: Type.Optional(
      Type.String({ description: "PEM file of the server's certificate chain (production)." }),
    ),
    TLS_KEY: Type.Optional(Type.String({ description: "PEM file of the server's key." })),
    ...certificateSettings,
    ...signingSettings,
    ...coreSettings,
    COOKIE_SECRET: Type.Optional(
      Type.String({ minLength: 32, description: "Secret for cookies and form tokens." }),
    ),
    BANK_NAME: Type.String({
      default: "Aldgate Bank",
      minLength: 1,
      maxLength: 70,
      description: "The bank's name, as customers see it.",
    }),
    BANK_HOME_URL: Type.Optional(
      Type.String({
        pattern: "^https?://[^\\s\"'<>]+$",
        description:
          "The bank's own website, such as `https://www.bank.example/`. A customer who cancels the " +
          "login of online banking, or opens a page that does not exist, goes there. Without it, " +
          "they stay in online banking.",
      }),
    ),
    ORGANISATION_ID: Type.String({
      default: "0015800001ALDGATE1",
      pattern: "^[0-9A-Za-z]{1,18}$",
      description: "The bank's organisation id, which is the `iss` of its message signatures.",
    }),
    TRUST_ANCHOR: Type.String({
      default: "openbanking.org.uk",
      description:
        "DNS name of the trust anchor: the `tan` of the bank's and the TPPs' message signatures.",
    }),
    IDEMPOTENCY_CONFLICT_STATUS: Type.Union([Type.Literal(400), Type.Literal(422)], {
      default: 400,
      description: "HTTP status if an idempotency key is used again with another body.",
    }),
    STRICT_OAS: Type.Boolean({
      default: false,
      description:
        "Rejects values that the published schemas forbid: those that clients of v4.0 still send, " +
        "and date-times without a time, seconds or an offset. By default, the bank accepts them, as " +
        "the standard's text asks. A TPP can test with this setting what stricter banks refuse.",
    }),
    CUT_OFF_STRATEGY: Type.String({
      default: "accept",
      pattern: perKind("(accept|reject)"),
      description:
        "What happens to payments after the cut-off: `accept` makes them on the next working " +
        "day, `reject` refuses them. To set it for one kind: `accept,international-payment=reject`.",
    }),
    CUT_OFF_TIME: Type.Optional(
      Type.String({
        pattern: perKind("(none|([01]\\d|2[0-3]):[0-5]\\d)"),
        description:
          "Daily cut-off, in London time. The default is no cut-off. To set it for some kinds: " +
          "`16:30,international-payment=15:00,file-payment=none`.",
      }),
    ),
    ...holidaySettings,
    PAYMENT_LIMIT: Type.Integer({
      default: 25_000_000,
      minimum: 1,
      description:
        "Largest single payment, in pence. For a payment in another currency, the limit is " +
        "converted at the bank's indicative rate. If the bank quotes no rate, the payment is refused.",
    }),
    STANDING_ORDER_V3_FREQUENCIES: Type.Boolean({
      default: false,
      description: "Accepts v3 frequencies (`IntrvlMnthDay:01:15`) in new standing orders too.",
    }),
    ...schemeSettings,
    CONSENT_LIFETIME_SECONDS: Type.Integer({
      default: 3600,
      minimum: 60,
      description:
        "How long a consent may wait for the customer's authorisation before it is rejected.",
    }),
    UNAUTHORISED_CONSENT_DAYS: Type.Integer({
      default: 90,
      minimum: 1,
      description:
        "If no customer authorises a consent, it is deleted after this number of days. Until then, " +
        "the TPP can read why it was rejected. Authorised consents and orders are kept.",
    }),
    ...loginSettings,
    ...limitSettings,
    ...eventSettings,
    ...registrationSettings,
    UNATTENDED_DAILY_LIMIT: Type.Integer({
      default: 0,
      minimum: 0,
      description:
        "How often per day a TPP may read a resource of an account without the customer; 0 means " +
        "unlimited.",
    }),
    FUNDS_CONFIRMATION_DAILY_LIMIT: Type.Integer({
      default: 100,
      minimum: 0,
      description:
        "How often per day (UTC) a TPP may ask through one consent whether the account has enough " +
        "money for an amount of its choice; 0 means unlimited. Without a limit, it could find the " +
        "balance by trying amounts.",
    }),
    REAUTHENTICATION_DAYS: Type.Integer({
      default: 0,
      minimum: 0,
      description:
        "For this many days after the customer's authentication, a TPP may read transactions and " +
        "statements older than 90 days. 0 means always.",
    }),
    PAGE_SIZE: Type.Integer({
      default: 25,
      minimum: 25,
      maximum: 1000,
      description: "Number of items on a page of account information.",
    }),
    BODY_LIMIT_BYTES: Type.Integer({
      default: 131_072,
      minimum: 1024,
      description:
        "Largest JSON body of a request. A larger one gets 413. FILE_LIMIT_BYTES limits files.",
    }),
    ...fileSettings,
    SANDBOX_HOSTS: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9_.-]+(, ?[A-Za-z0-9_.-]+)*$",
        description:
          "Additional host names of a sandbox, such as `aldgate,bank.test`. `localhost`, " +
          "`127.0.0.1`, `[::1]` and the hosts of PUBLIC_URL and MTLS_URL are always allowed. " +
          "Requests to any other host name are refused, to prevent DNS rebinding.",
      }),
    ),
    SANDBOX_CONTROLS_NETWORKS: Type.Optional(
      Type.String({
        pattern: "^[0-9A-Fa-f:.]+/\\d+(, ?[0-9A-Fa-f:.]+/\\d+)*$",
        description:
          "Networks from which callers with the token may use a sandbox's controls " +
          "(`/sandbox/v1`), such as `172.16.0.0/12,fd00::/8`. By default, only callers on the " +
          "same machine may use them.",
      }),
    ),
    SANDBOX_CONTROLS_TOKEN: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9._~+/-]{24,}=*$",
        description:
          "Token that callers from SANDBOX_CONTROLS_NETWORKS must send (`Authorization: Bearer`). It " +
          "must have at least 24 characters; `openssl rand -hex 16` generates one. If it is in the " +
          "environment of `./aldgate`, `./aldgate` sends it.",
      }),
    ),
    LOG_LEVEL: Type.Union(
      [
        Type.Literal("silent"),
        Type.Literal("error"),
        Type.Literal("warn"),
        Type.Literal("info"),
        Type.Literal("debug"),
      ],
      {
        default: "info",
        description: "The log contains lines of this level and of more severe levels.",
      },
    ),
    SHUTDOWN_SECONDS: Type.Integer({
      default: 10,
      minimum: 0,
      description: "How long requests in progress may take to finish after a stop signal.",
    }),
  },
  { additionalProperties: false },
);

/** The configuration in use, every default filled in. */
export type Config = Type.Static<typeof configSchema>;

/** A configuration that cannot be used, with one message per fault, each naming its setting. */
export class ConfigError extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/** Reads the configuration from variables and an optional file's object; frozen. */
export function loadConfig(
  environment: Record<string, string | undefined>,
  file: Record<string, unknown> = {},
): Readonly<Config> {
  const known = Object.keys(configSchema.properties);
  const faults = [
    ...Object.keys(environment).filter((key) => key.startsWith("ALDGATE_") && !known.includes(key)),
    ...Object.keys(file).filter((key) => !known.includes(key)),
  ]
    .filter((key) => key !== "ALDGATE_CONFIG")
    .map((key) => `${key}: unknown; see docs/configuration.md for the keys that exist`);
  const raw: Record<string, unknown> = { ...file };
  for (const key of known) if (environment[key] !== undefined) raw[key] = environment[key];
  for (const [key, property] of Object.entries<Property>(configSchema.properties)) {
    if (typeof raw[key] === "string") raw[key] = parseText(property, raw[key]);
  }
  const value = Value.Default(configSchema, raw);
  // one setting at a time, because TypeBox lists only the first errors of a schema
  for (const [key, property] of Object.entries<TSchema & Property>(configSchema.properties)) {
    const given = (value as Record<string, unknown>)[key];
    if (given === undefined) continue;
    const choices = choicesOf(property);
    for (const { message } of Value.Errors(property, given)) {
      faults.push(`${key}: ${choices ? `must be ${choices}` : message}`);
    }
  }
  if (faults.length > 0) throw new ConfigError([...new Set(faults)]);
  return Object.freeze(value as Config);
}

type Property = { type?: string; anyOf?: { const?: unknown }[] };

const oneOf = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** Lists the values of a setting that has only a few; null if it has others too. */
function choicesOf({ anyOf }: Property): string | null {
  const values = anyOf?.map((one) => one.const);
  return values?.every((value) => value !== undefined) ? oneOf.format(values.map(String)) : null;
}

/** Converts a text to the number or boolean that the schema requires; other texts are unchanged. */
function parseText({ type, anyOf }: Property, text: string): unknown {
  const isNumber = type === "integer" || anyOf?.some((one) => typeof one.const === "number");
  if (isNumber && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
