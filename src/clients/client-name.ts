import type { Scope } from "#src/standard/api-version.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** The names under which a TPP is registered. */
export type ClientName = { softwareName: string; onBehalfOf: string | null };

/** The names of a client: a query that statements of other rooms join. */
export const clientName = (clientId: Sql): Sql => sql`
  select s.name as "softwareName", s.on_behalf_of as "onBehalfOf"
  from client cl join software s on s.software_id = cl.software_id
  where cl.client_id = ${clientId}`;

/** SQL: the organisation and the software of a client, for whoever must know who a TPP is. */
export const registeredTpp = (clientId: Sql): Sql => sql`
  select cl.client_id as "clientId", g.organisation_id as "organisationId",
    g.name as "organisationName", s.software_id as "softwareId", s.name as "softwareName",
    s.on_behalf_of as "onBehalfOf"
  from client cl join software s on s.software_id = cl.software_id
    join organisation g on g.organisation_id = s.organisation_id
  where cl.client_id = ${clientId}`;

/**
 * The TPP as customers know it. Source: customer experience guidelines, Account Information
 * Services.
 */
export function clientText({ softwareName, onBehalfOf }: ClientName, scope: Scope): string {
  if (!onBehalfOf) return softwareName;
  return scope === "payments"
    ? `${softwareName} via ${onBehalfOf}`
    : `${onBehalfOf} on behalf of ${softwareName}`;
}
