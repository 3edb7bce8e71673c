import { type Sql, sql } from "#src/storage/sql.ts";
import { isAcceptedKey } from "./client-keys.ts";

/** A row of `providerClient`: the JSON text of a `ProviderClient`. */
export type ProviderClientRow = { client: string };

/** A client as the authorization server needs it: its registration and the bank's settings. */
export type ProviderClient = {
  clientId: string;
  /** The registered members of RFC 7591. */
  metadata: { grant_types?: string[]; application_type?: string; scope?: string };
  softwareName: string;
  /** Whether its tokens are bound to its certificate. */
  bound: boolean;
  certificateSubject: string | null;
  /** The registered scopes that the directory no longer allows. */
  withheldScopes: string[];
  /** The keys that are accepted now. */
  keys: { kid?: string }[];
};

/**
 * Selects a client, unless it is unknown or suspended, as one JSON text. A client seldom changes,
 * so a caller that has already parsed the same text need not parse it again.
 */
export const providerClient = (clientId: string | Sql, now: Temporal.Instant): Sql => sql`
  select json_build_object('clientId', cl.client_id, 'metadata', cl.metadata,
      'softwareName', s.name, 'bound', cs.certificate_bound,
      'certificateSubject', cl.certificate_subject, 'withheldScopes', cs.withheld_scopes,
      'keys', (select coalesce(json_agg(k.jwk order by k.created_at, k.kid), '[]')
        from client_key k
        where k.client_id = cl.client_id and k.use <> 'tls' and ${isAcceptedKey(now)})
    )::text as client
  from client cl
  join client_setting cs on cs.client_id = cl.client_id
  join software s on s.software_id = cl.software_id
  where cl.client_id = ${clientId} and cs.status = 'active'`;
