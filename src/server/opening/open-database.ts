import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError } from "#src/config/config.ts";
import { requireSandboxPackages } from "#src/config/sandbox-packages.ts";
import type { PostgresLimits } from "#src/storage/connection.ts";
import type { Database } from "#src/storage/database.ts";
import {
  DatabaseUrlError,
  type Hosts,
  parseDatabaseUrl,
  type UrlPurpose,
} from "#src/storage/database-url.ts";
import { createSchemaCheck } from "#src/storage/migrate.ts";

// Some parts of a bank need settings, or parts from several rooms, before they can be opened. They
// are opened here: the database (this file), the bank's own core (load-bank.ts), event
// notifications (open-events.ts), and the registration of clients (open-registration.ts,
// registration.ts). access-kinds.ts lists the kinds of consents that no order uses up.

const withoutTls =
  "production verifies database servers by TLS: add " +
  "?sslmode=verify-full&sslrootcert=/path/ca.pem to the URL. If the database is on the same " +
  "machine or a private network, you can set DATABASE_WITHOUT_TLS=true instead";

/** Lists the faults of the database's URLs in this profile; empty if there are none. */
export function findUrlFaults(config: Config): { key: keyof Config; fault: string }[] {
  const { DATABASE_URL, READ_DATABASE_URL } = config;
  const say = (key: keyof Config) => (fault: string) => ({ key, fault });
  const faults = faultsOf(DATABASE_URL, "writes", config).map(say("DATABASE_URL"));
  const readFaults = faultsOf(READ_DATABASE_URL, "reads", config);
  if (READ_DATABASE_URL !== undefined && DATABASE_URL === undefined) {
    readFaults.push("standbys have a primary: set DATABASE_URL too");
  }
  return [...faults, ...readFaults.map(say("READ_DATABASE_URL"))];
}

function faultsOf(url: string | undefined, purpose: UrlPurpose, config: Config): string[] {
  if (url === undefined) return [];
  let hosts: Hosts;
  try {
    hosts = parseDatabaseUrl(url, purpose);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    return [error.message];
  }
  const faults = Object.entries(hosts.files)
    .filter(([, path]) => !existsSync(path))
    .map(([parameter, path]) => `${parameter}: there is no file ${path}`);
  const mustVerify = config.ALDGATE_PROFILE === "production" && !config.DATABASE_WITHOUT_TLS;
  if (mustVerify && !hosts.isVerified) faults.push(withoutTls);
  return faults;
}

/** Time limits in place of the usual ones. */
type Limits = Partial<PostgresLimits>;

/** For a command that reads all data: on a busy server, a part may take longer than a request. */
export const unhurried: Limits = { statementSeconds: 0, transactionSeconds: 0 };

/** How a database is opened. `readsOnStandbys` connects to the standbys too. */
type Opening = { limits?: Limits; readsOnStandbys?: boolean };

/**
 * Opens the database that the configuration names: a PostgreSQL server, or a folder. Throws
 * ConfigError for URLs that the profile does not allow.
 */
export async function openDatabase(config: Config, opening: Opening = {}): Promise<Database> {
  const faults = findUrlFaults(config);
  if (faults.length > 0) throw new ConfigError(faults.map(({ key, fault }) => `${key}: ${fault}`));
  // each driver is loaded when it is used: the embedded one alone takes a tenth of a second
  if (config.DATABASE_URL !== undefined) return openServer(config, config.DATABASE_URL, opening);
  requireSandboxPackages();
  const { openPglite } = await import("#src/storage/pglite.ts");
  return openPglite({ folder: join(config.ALDGATE_DATA, "database") });
}

/**
 * Opens the database of a bank that has been started before, for a command that uses its tables.
 * Throws OtherSchema if its migrations are not those of this version (`createSchemaCheck`).
 */
export async function openMadeDatabase(config: Config, limits: Limits = {}): Promise<Database> {
  const database = await openDatabase(config, { limits });
  try {
    await createSchemaCheck()(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openServer(
  config: Config,
  url: string,
  { limits = {}, readsOnStandbys = false }: Opening,
): Promise<Database> {
  const { openPostgres } = await import("#src/storage/postgres.ts");
  return openPostgres(
    url,
    config.DATABASE_CONNECTIONS,
    { connectSeconds: config.DATABASE_CONNECT_SECONDS, ...limits },
    readsOnStandbys ? config.READ_DATABASE_URL : undefined,
  );
}
