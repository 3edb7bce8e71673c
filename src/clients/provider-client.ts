import { type Sql, sql } from "#src/storage/sql.ts";
import { isAcceptedKey } from "./client-keys.ts";

/** A client as the authorization server needs it: its registration and the bank's settings. */
export type ProviderClientRow = {
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

/** Selects a client, unless it is unknown or suspended. */
export const providerClient = (clientId: string | Sql, now: Temporal.Instant): Sql => sql`
  select cl.metadata, s.name as "softwareName", cs.certificate_bound as bound,
    cl.certificate_subject as "certificateSubject", cs.withheld_scopes as "withheldScopes",
    (select coalesce(json_agg(k.jwk order by k.created_at, k.kid), '[]') from client_key k
      where k.client_id = cl.client_id and k.use <> 'tls' and ${isAcceptedKey(now)}) as keys
  from client cl
  join client_setting cs on cs.client_id = cl.client_id
  join software s on s.software_id = cl.software_id
  where cl.client_id = ${clientId} and cs.status = 'active'`;
