import { existsSync } from "node:fs";
import { addressesOf, managementPortOf, withoutLastSlashes } from "#src/config/addresses.ts";
import type { Config } from "#src/config/config.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { AuthorizationError, TokenError } from "#src/sandbox/test-tpp/tpp-client.ts";
import { FolderInUse } from "#src/storage/folder-lock.ts";
import { CannotMigrate, MigrationBlocked, OtherSchema } from "#src/storage/migrate.ts";
import { BankRefused } from "./sandbox-client.ts";

type SystemFault = { code?: string; port?: number; path?: string };

/** A child process has failed and has already printed the reason. */
export class AlreadyExplained extends Error {}

const ofTheBank = [
  AlreadyExplained,
  BankRefused,
  TokenError,
  AuthorizationError,
  MigrationBlocked,
  CannotMigrate,
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

/** A message for a mistake that the user can fix, or null for a fault of ours. */
export function plainMessage(error: unknown, config: Config): string | null {
  if (ofTheBank.some((type) => error instanceof type)) return (error as Error).message;
  if (error instanceof FolderInUse) {
    return (
      `Another Aldgate${of(error)} has ${config.ALDGATE_DATA} open. Stop it, or ` +
      "set ALDGATE_DATA to another folder."
    );
  }
  if (error instanceof OtherSchema) return otherSchema(error, config);
  if (unavailableOf(error)?.part === "database") {
    const reason = (error as Error).message.replace(/^the database cannot be reached: /, "");
    return `PostgreSQL is not available (${reason}). Start it, or correct DATABASE_URL.`;
  }
  const { code, port, path } = error as SystemFault;
  if (code === "EADDRINUSE") return portTaken(port ?? 0, config);
  if (code === "EACCES" && port !== undefined) {
    return `Aldgate has no permission to open port ${port}. Choose a port above 1023.`;
  }
  if (code === "ECONNREFUSED") return nobodyAnswers(port, config);
  if (code !== undefined && untrusted.has(code)) return otherAuthority;
  if (code === "ENOENT" && path !== undefined) return `There is no ${path}.`;
  if (code === "42P01") return "The database has no schema yet. Create it: ./aldgate migrate";
  return null;
}

function otherSchema({ message }: OtherSchema, config: Config): string {
  const { DATABASE_URL: url, ALDGATE_DATA: folder } = config;
  const place = url === undefined ? folder : "the database that DATABASE_URL names";
  const command =
    url === undefined
      ? `ALDGATE_DATA=${freeFolder(folder)} npm start`
      : "psql \"$DATABASE_URL\" -c 'create database aldgate_new'\n" +
        "and set DATABASE_URL to the new database";
  return (
    `The data in ${place} has another version of the schema: ${message}. Nothing in it was ` +
    "changed. Open it with the version of Aldgate that made it, or create new data elsewhere:\n" +
    `  ${command}`
  );
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
  const keys = { [managementPortOf(config)]: "MANAGEMENT_PORT", [config.MTLS_PORT]: "MTLS_PORT" };
  const key = port === config.PUBLIC_PORT ? "PUBLIC_PORT" : (keys[port] ?? "PUBLIC_PORT");
  return (
    `Port ${port} is taken by another program. Stop that program, or choose another port: ` +
    `${key}=${port + 1} npm start`
  );
}

function nobodyAnswers(port: number | undefined, config: Config): string {
  const { publicUrl, mtlsUrl } = addressesOf(config);
  const bank = [publicUrl, mtlsUrl].find((url) => new URL(url).port === String(port));
  return `No bank answers at ${bank ?? `port ${port}`}. Start it with: npm start`;
}
