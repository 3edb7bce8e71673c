import {
  listRevokedClients,
  type SchemeStanding,
  storeSchemeStatuses,
} from "#src/clients/vrp-contracts.ts";
import { endSchemeConsents } from "#src/consents/contract-consents.ts";
import type { Why } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";

/**
 * Stores the statuses of organisations in the commercial scheme, and ends the consents of those
 * that are no longer in it. Returns the number of clients whose status has changed.
 * Source: CV-23, CV-25.
 */
export async function applySchemeStatuses(
  on: Queryable,
  standings: readonly SchemeStanding[],
  why: Why,
): Promise<number> {
  // the status is stored first, so that no payment is accepted while the consents end
  const changed = await storeSchemeStatuses(on, standings, why);
  // those of earlier changes too, in case the process stopped before it ended all of them
  const revoked = await listRevokedClients(on);
  if (revoked.length > 0) await endSchemeConsents(on, revoked, why);
  return changed.length;
}
