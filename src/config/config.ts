import Type, { type TSchema } from "typebox";
import Value from "typebox/value";
import { accountSettings } from "./account-settings.ts";
import { appSettings } from "./app-settings.ts";
import { bankLoginSettings } from "./bank-login-settings.ts";
import { certificateSettings } from "./certificate-settings.ts";
import { coreSettings } from "./core-settings.ts";
import { databaseSettings } from "./database-settings.ts";
import { eventSettings } from "./event-settings.ts";
import { fileSettings } from "./file-settings.ts";
import { formOf, webUrl } from "./forms.ts";
import { limitSettings } from "./limit-settings.ts";
import { listenerSettings } from "./listener-settings.ts";
import { loginSettings } from "./login-settings.ts";
import { paymentSettings } from "./payment-settings.ts";
import { registrationSettings } from "./registration-settings.ts";
import { requestLogSettings } from "./request-log-settings.ts";
import { retiredSettings } from "./retired-settings.ts";
import { sandboxSettings } from "./sandbox-settings.ts";
import { schemeSettings } from "./scheme-settings.ts";
import { signingSettings } from "./signing-settings.ts";
import { worldSettings } from "./world-settings.ts";

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
      usedBy: "every bank",
    }),
    ALDGATE_DATA: Type.String({
      default: "./data",
      description: "Folder of the embedded database, and of a sandbox's keys and certificates.",
      usedBy: "a sandbox beside another, or in a container",
    }),
    BANK_NAME: Type.String({
      default: "Aldgate Bank",
      minLength: 1,
      maxLength: 70,
      description: "The bank's name, as customers see it.",
      usedBy: "every bank",
    }),
    BANK_HOME_URL: Type.Optional(
      Type.String({
        ...webUrl,
        description:
          "The bank's own website, such as `https://www.bank.example/`. A customer who cancels the " +
          "login of online banking, or opens a page that does not exist, goes there. Without it, " +
          "they stay in online banking, and its login has no button to cancel.",
        usedBy: "a bank with a website",
      }),
    ),
    ORGANISATION_ID: Type.String({
      default: "0015800001ALDGATE1",
      pattern: "^[0-9A-Za-z]{1,18}$",
      form: "1 to 18 letters and digits",
      description: "The bank's organisation id, which is the `iss` of its message signatures.",
      usedBy: "every bank: its id in the directory",
    }),
    TRUST_ANCHOR: Type.String({
      default: "openbanking.org.uk",
      description:
        "DNS name of the trust anchor: the `tan` of the bank's and the TPPs' message signatures.",
      usedBy: "a bank in another directory than that of the United Kingdom",
    }),
    ...databaseSettings,
    ...listenerSettings,
    ...certificateSettings,
    ...signingSettings,
    ...coreSettings,
    ...accountSettings,
    ...paymentSettings,
    ...schemeSettings,
    ...fileSettings,
    ...loginSettings,
    ...bankLoginSettings,
    ...appSettings,
    ...limitSettings,
    ...eventSettings,
    ...registrationSettings,
    ...requestLogSettings,
    ...sandboxSettings,
    ...worldSettings,
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
        usedBy: "every bank",
      },
    ),
    TRACING_MODULE: Type.Optional(
      Type.String({
        description:
          "ES module that registers an OpenTelemetry SDK when it is loaded (docs/tracing.md). If it " +
          "exports `close()`, the bank calls it last.",
        usedBy: "a bank that collects traces",
      }),
    ),
    SHUTDOWN_SECONDS: Type.Integer({
      default: 10,
      minimum: 0,
      description: "How long requests in progress may take to finish after a stop signal.",
      usedBy: "an orchestrator that stops processes earlier",
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
  const isOurs = (key: string): boolean => key.startsWith("ALDGATE_") || isRetired(key);
  const faults = [...Object.keys(environment).filter(isOurs), ...Object.keys(file)]
    .filter((key) => key !== "ALDGATE_CONFIG" && !known.includes(key))
    .map((key) =>
      isRetired(key)
        ? `${key}: remove it, because this setting no longer exists; ${retiredSettings[key]}`
        : `${key}: unknown; see docs/configuration.md for the keys that exist`,
    );
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
    if (!Value.Check(property, given)) faults.push(`${key}: must be ${formOf(property)}`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(value as Config);
}

const isRetired = (key: string): boolean => Object.hasOwn(retiredSettings, key);

type Property = { type?: string; anyOf?: { const?: unknown }[] };

/** Converts a text to the number or boolean that the schema requires; other texts are unchanged. */
function parseText({ type, anyOf }: Property, text: string): unknown {
  const isNumber = type === "integer" || anyOf?.some((one) => typeof one.const === "number");
  if (isNumber && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
