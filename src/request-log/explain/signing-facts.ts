import type { KeyObject } from "node:crypto";
import { loadAcceptedKeys } from "#src/clients/client-keys.ts";
import { loadClient } from "#src/clients/client-record.ts";
import type { Queryable } from "#src/storage/database.ts";

/** How a client signs its messages. */
export type SigningFacts = {
  organisationId: string;
  softwareId: string;
  keys: ReadonlyMap<string, KeyObject>;
};

/** Loads how a client signs at a time of the machine's clock; null if there is no such client. */
export async function loadSigningFacts(
  on: Queryable,
  clientId: string,
  at: Temporal.Instant,
): Promise<SigningFacts | null> {
  const client = await loadClient(on, clientId);
  if (!client) return null;
  const { organisationId, softwareId } = client;
  const { keys } = await loadAcceptedKeys(on, clientId, at);
  return { organisationId, softwareId, keys };
}
