import type { AdapterPayload } from "oidc-provider";
import { type ProviderClientRow, providerClient } from "#src/clients/provider-client.ts";
import type { Clock } from "#src/lib/clock.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { certificateSubjectKey } from "./judge-client.ts";
import {
  type AheadRow,
  aheadOfRequest,
  type KnownToRequest,
  remember,
  withAhead,
} from "./read-ahead.ts";

/** What a client is found with. */
type FindDeps = { on: Queryable; clock: Clock; machineClock: Clock; known: KnownToRequest };

/** Finds a client, with what its request will need besides. A suspended client is not found. */
export async function findClient(
  { on, clock, machineClock, known: knownTo }: FindDeps,
  clientId: string,
): Promise<AdapterPayload | undefined> {
  const ahead = aheadOfRequest();
  const known = knownTo();
  const statement = withAhead(providerClient(clientId, machineClock.now()), ahead, clock.now());
  const row = await first<ProviderClientRow & AheadRow>(on, statement);
  if (!row) return undefined;
  if (known && ahead) remember(known, ahead, row);
  return {
    ...row.metadata,
    client_id: clientId,
    client_name: row.softwareName,
    jwks: { keys: row.keys },
    tls_client_certificate_bound_access_tokens: row.bound,
    ...(row.certificateSubject ? { [certificateSubjectKey]: row.certificateSubject } : {}),
  } as AdapterPayload; // the library checks client metadata itself
}
