import { existsSync } from "node:fs";
import { addressesOf, managementPortOf, withoutLastSlashes } from "#src/config/addresses.ts";
import type { Config } from "#src/config/config.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { AuthorizationError, TokenError } from "#src/sandbox/test-tpp/tpp-client.ts";
import { MigrationBlocked } from "#src/storage/apply-migration.ts";
import { FolderInUse } from "#src/storage/folder-lock.ts";
import { CannotMigrate, OldSchema, OtherSchema } from "#src/storage/migrate.ts";
import type { CommandFault } from "./results.ts";
import { BankRefused, NoBank } from "./sandbox-client.ts";

type SystemFault = { code?: string; port?: number; path?: string };

/** A child process has failed and has already printed the reason. */
export class AlreadyExplained extends Error {}

/** The demo has not gone as it should. */
export class DemoFailed extends Error {}

// a class stands before the one that it extends
const ofTheBank: readonly [type: abstract new (...given: never[]) => Error, code: string][] = [
  [AlreadyExplained, "explained-above"],
  [NoBank, "no-bank"],
  [BankRefused, "refused"],
  [TokenError, "no-token"],
  [AuthorizationError, "not-authorised"],
  [MigrationBlocked, "migration-blocked"],
  [CannotMigrate, "cannot-migrate"],
  [OldSchema, "old-schema"],
  [DemoFailed, "demo-failed"],
];

// the codes of a server certificate that does not chain to the root in the TPP's folder
const untrusted: ReadonlySet<string> = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
]);
const otherAuthority =
  "The bank's certificate was not issued by the certificate authority in the TPP's folder. The " +
  "TPP belongs to another bank, or the sandbox's data has been deleted since. Create a new TPP: " +
  "./aldgate tpp create --out DIR";

/** A fault that the user can mend, or null for an error of ours. */
export function plainFault(error: unknown, config: Config): CommandFault | null {
  const named = namedFault(error);
  if (named) return named;
  if (error instanceof FolderInUse) {
    const message =
      `Another Aldgate${of(error)} has ${config.ALDGATE_DATA} open. Stop it, or ` +
      "set ALDGATE_DATA to another folder.";
    return { code: "folder-in-use", message };
  }
  if (error instanceof OtherSchema) {
    return { code: "other-schema", message: otherSchema(error, config) };
  }
  if (unavailableOf(error)?.part === "database") {
    const reason = (error as Error).message.replace(/^the database cannot be reached: /, "");
    const message = `PostgreSQL is not available (${reason}). Start it, or correct DATABASE_URL.`;
    return { code: "no-database", message };
  }
  return systemFault(error as SystemFault, config);
}

function namedFault(error: unknown): CommandFault | null {
  const found = ofTheBank.find(([type]) => error instanceof type);
  if (!found) return null;
  const { message, faults, next } = error as BankRefused;
  const more = { ...(faults ? { faults } : {}), ...(next === undefined ? {} : { next }) };
  return { code: found[1], message, ...more };
}

function systemFault({ code, port, path }: SystemFault, config: Config): CommandFault | null {
  if (code === "EADDRINUSE") {
    return { code: "port-in-use", message: portTaken(port ?? 0, config) };
  }
  if (code === "EACCES" && port !== undefined) {
    const message = `Aldgate has no permission to open port ${port}. Choose a port above 1023.`;
    return { code: "port-not-allowed", message };
  }
  if (code === "ECONNREFUSED") {
    return { code: "no-bank", message: nobodyAnswers(port, config), next: "./aldgate start" };
  }
  if (code !== undefined && untrusted.has(code)) {
    return { code: "other-authority", message: otherAuthority, next: "./aldgate tpp create" };
  }
  if (code === "ENOENT" && path !== undefined) {
    return { code: "no-file", message: `There is no ${path}.` };
  }
  if (code === "42P01") {
    const next = "./aldgate migrate";
    const message = `The database has no schema yet. Create it: ${next}`;
    return { code: "no-schema", message, next };
  }
  return null;
}

function otherSchema({ message }: OtherSchema, config: Config): string {
  const { ALDGATE_PROFILE: profile, DATABASE_URL: url, ALDGATE_DATA: folder } = config;
  const place = url === undefined ? folder : "the database that DATABASE_URL names";
  const refusal =
    `The data in ${place} has another version of the schema: ${message}. Nothing in it was ` +
    "changed. Open it with the version of Aldgate that made it";
  if (profile === "production") return `${refusal}, or with a later one (docs/upgrading.md).`;
  const command =
    url === undefined
      ? `ALDGATE_DATA=${freeFolder(folder)} npm start`
      : "psql \"$DATABASE_URL\" -c 'create database aldgate_new'\n" +
        "and set DATABASE_URL to the new database";
  return `${refusal}, or create new data elsewhere:\n  ${command}`;
}

/** The folder's name with the first number that is free. */
function freeFolder(folder: string): string {
  const stem = withoutLastSlashes(folder);
  for (let number = 2; ; number += 1) {
    if (!existsSync(`${stem}-${number}`)) return `${stem}-${number}`;
  }
}

const of = ({ processId }: FolderInUse): string =>
  processId === null ? "" : ` (process ${processId})`;

function portTaken(port: number, config: Config): string {
  const keys: Record<number, string> = {
    [managementPortOf(config)]: "MANAGEMENT_PORT",
    [config.MTLS_PORT]: "MTLS_PORT",
    [config.PUBLIC_PORT]: "PUBLIC_PORT",
  };
  const key = keys[port];
  // a port that no setting names belongs to a command, such as `bank serve`
  const other = key === undefined ? `--port ${port + 1}` : `${key}=${port + 1} npm start`;
  return `Port ${port} is taken by another program. Stop that program, or choose another port: ${other}`;
}

function nobodyAnswers(port: number | undefined, config: Config): string {
  const { publicUrl, mtlsUrl } = addressesOf(config);
  const bank = [publicUrl, mtlsUrl].find((url) => new URL(url).port === String(port));
  return `No bank answers at ${bank ?? `port ${port}`}. Start it with: npm start`;
}
