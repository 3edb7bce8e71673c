import {
  type PublishedSoftware,
  softwareOfClient,
  storePublishedKeys,
  takeDueSoftware,
} from "#src/clients/client-keys.ts";
import { lockSoftware } from "#src/clients/register-client.ts";
import { byBank } from "#src/history/change.ts";
import type { Clock } from "#src/lib/clock.ts";
import { type Database, first } from "#src/storage/database.ts";
import {
  type DirectoryKeys,
  publishesAt,
  readSoftwareKeys,
  type StatementIssuer,
} from "./statement-issuer.ts";

type RefreshDeps = {
  database: Database;
  issuers: readonly StatementIssuer[];
  directoryKeys: DirectoryKeys;
  /** The bank's clock, for the history of clients. */
  clock: Clock;
  /** The machine's clock. */
  machineClock: Clock;
  /** Called if the keys of software cannot be read; the stored keys stay in use. */
  onFailure(softwareId: string, error: unknown): void;
};

/** Keeps the keys of registered clients as their directories publish them. */
export type KeyRefresh = {
  /**
   * Reads the keys of a client again because a request names an unknown `kid`. Returns false if
   * they were read less than a minute ago, or if the client has no directory.
   */
  refresh(clientId: string, kid: string): Promise<boolean>;
  /** Reads the keys that are due. Processes share the work. */
  sweep(): Promise<void>;
};

const softwareAtOnce = 10;
const retryMinutes = 5;
const minuteMs = 60_000;
const manyClients = 10_000;

/**
 * Makes the refresh of keys. A rotated key is found at the first request that names it, a revoked
 * one when its list is read, within an hour. Source.
 */
export function createKeyRefresh(deps: RefreshDeps): KeyRefresh {
  const { database, machineClock } = deps;
  const refreshed = new Map<string, number>();
  return {
    async refresh(clientId, kid) {
      const now = machineClock.now().epochMilliseconds;
      if (now - (refreshed.get(clientId) ?? -minuteMs) < minuteMs) return false;
      if (refreshed.size >= manyClients) refreshed.clear();
      refreshed.set(clientId, now);
      const software = await first<PublishedSoftware>(database, softwareOfClient(clientId));
      return software !== undefined && readAndStore(deps, software, kid);
    },
    async sweep() {
      const now = machineClock.now();
      const until = now.add({ minutes: retryMinutes });
      const due = await database.query<PublishedSoftware>(
        takeDueSoftware(now, until, softwareAtOnce),
      );
      await Promise.all(due.map((software) => readAndStore(deps, software)));
    },
  };
}

async function readAndStore(
  deps: RefreshDeps,
  software: PublishedSoftware,
  kid?: string,
): Promise<boolean> {
  const { softwareId, jwksUri, revokedJwksUri } = software;
  const issuer = deps.issuers.find(({ iss }) => iss === software.issuer);
  if (!issuer || !publishesAt(issuer, jwksUri)) return false; // it is no longer trusted
  try {
    const keys = await readSoftwareKeys(
      deps.directoryKeys,
      issuer,
      { jwksUri, revokedJwksUri },
      kid,
    );
    const at = deps.machineClock.now();
    const why = byBank(deps.clock.now());
    await deps.database.transaction(async (on) => {
      await lockSoftware(on, softwareId);
      await storePublishedKeys(on, softwareId, keys, { why, at, dueAt: keys.dueAt });
    });
    return true;
  } catch (error) {
    deps.onFailure(softwareId, error);
    return false;
  }
}
