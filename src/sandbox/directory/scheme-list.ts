import { listChanges } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Where the directory serves the list of the commercial scheme's participants. */
export const schemeListPath = "/directory/v2.1/organisation/mlastatus";

type Row = { organisationId: string; name: string; status: string; clientId: string };

/**
 * Makes the list of the organisations in the commercial scheme, as the directory of Open Banking
 * serves it. The sandbox has only one store of their statuses, so a change is in the list and
 * takes effect at the same time. Source: CV-12, CV-26.
 */
export async function listSchemeParticipants(on: Queryable): Promise<{ Data: object[] }> {
  const rows = await on.query<Row>(sql`
    select distinct on (cs.organisation_id) cs.organisation_id as "organisationId", o.name,
      cs.scheme_status as status, cs.client_id as "clientId"
    from client_setting cs join organisation o on o.organisation_id = cs.organisation_id
    where cs.scheme_status is not null
    order by cs.organisation_id, cs.client_id`);
  return { Data: await Promise.all(rows.map((row) => participant(on, row))) };
}

async function participant(
  on: Queryable,
  { organisationId, name, status, clientId }: Row,
): Promise<object> {
  const changes = await listChanges(on, clientId);
  const last = changes.findLast(({ before, after }) => before?.schemeStatus !== after.schemeStatus);
  return {
    OBOrganisationId: organisationId,
    OrganisationCommonName: name,
    NCAId: `GB-FCA-${organisationId}`,
    MLAStatus: status,
    MLAStatusUpdated: formatInstant(present(last, "the change of a status").occurredAt),
  };
}
