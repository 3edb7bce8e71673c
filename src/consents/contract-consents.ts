import { changed, type Why } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import {
  type RiskIndicator,
  riskIndicators,
  schemeVrpTypes,
} from "#src/standard/shared/vrp-types.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { setStatus } from "./set-status.ts";
import { statusReasons } from "./status-reasons.ts";

// The consents that TPPs have created under contracts with the bank.

type ContractOfClient = { clientId: string; contractId: string };

// The number of consents that one statement changes: few, so that locks are short.
const slice = 500;

const endedReasons = JSON.stringify([statusReasons.contractStopped]);

/**
 * Ends the consents of a contract: cancels those that are authorised, and marks all of them so that
 * no customer can authorise them any more. Returns how many were cancelled. Source: V-196.
 */
export const endContractConsents = (
  on: Queryable,
  { clientId, contractId }: ContractOfClient,
  why: Why,
): Promise<number> =>
  endConsents(
    on,
    sql`client_id = ${clientId} and terms->'vrpContract'->>'contractId' = ${contractId}`,
    why,
  );

/**
 * Ends the consents of TPPs that are out of the commercial scheme. A consent that also allows
 * another type stays, for payments of that type. Source: CV-23.
 */
export const endSchemeConsents = (
  on: Queryable,
  clientIds: readonly string[],
  why: Why,
): Promise<number> =>
  endConsents(
    on,
    sql`client_id = any(${clientIds}::text[]) and terms->'vrpContract' is not null
      and not exists (
        select from json_array_elements_text(body->'Data'->'ControlParameters'->'VRPType') t(type)
        where t.type <> all(${schemeVrpTypes}::text[]))`,
    why,
  );

async function endConsents(on: Queryable, which: Sql, why: Why): Promise<number> {
  for (let cancelled = 0; ; ) {
    const rows = await on.query<{ wasCancelled: boolean }>(sql`
      with open as (
        select consent_id, status from consent
        where ${which}
          and terms->'vrpContract'->>'endedAt' is null and deleted_at is null
          and status in ('AWAU', 'AUTH', 'CANC')
        order by consent_id limit ${slice} for update
      )
      update consent c set ${changed(why)},
        terms = jsonb_set(c.terms::jsonb, '{vrpContract,endedAt}',
          to_jsonb(${why.at.toString()}::text))::json,
        ${setStatus(sql`case o.status when 'AUTH' then 'CANC' else o.status end`, null)},
        status_updated_at = case o.status when 'AUTH' then ${why.at} else c.status_updated_at end,
        status_reason = case o.status
          when 'AUTH' then ${endedReasons}::json else c.status_reason end
      from open o where c.consent_id = o.consent_id
      returning o.status = 'AUTH' as "wasCancelled"`);
    cancelled += rows.filter(({ wasCancelled }) => wasCancelled).length;
    if (rows.length < slice) return cancelled;
  }
}

/** How many consents a contract has, and how many of them lack each indicator of their risk. */
export type ContractUse = { consents: number; without: Record<RiskIndicator, number> };

/**
 * Counts the consents that were created under a contract, and those that lack each indicator. v3.1
 * spells one of them differently. Source: B-188, CV-75.
 */
export async function countContractConsents(
  on: Queryable,
  { clientId, contractId }: ContractOfClient,
): Promise<ContractUse> {
  const row = await first<ContractUse>(
    on,
    sql`with own as (
        select body->'Risk' as risk from consent
        where client_id = ${clientId} and terms->'vrpContract'->>'contractId' = ${contractId})
      select (select count(*)::integer from own) as consents,
        (select json_object_agg(i.name, (
            select count(*) from own where coalesce(own.risk->>i.name,
              own.risk->>replace(i.name, 'Indicator', 'Inidicator')) is null))
          from unnest(${riskIndicators}::text[]) as i(name)) as without`,
  );
  return present(row, "the counts of a contract");
}
