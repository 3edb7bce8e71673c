import { purge } from "#src/auth/purge.ts";
import type { BankCustomer } from "#src/bank/port.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { Candidate } from "./eligible-accounts.ts";
import type { Outcome } from "./outcomes.ts";

/** Where a journey is. */
export type Step = "login" | "factor" | "accounts" | "review" | "ended";

/** One customer's way through one authorization request. */
export type JourneyRow = {
  uid: string;
  consentId: string;
  clientId: string;
  step: Step;
  /** Set once it has ended. */
  outcome: Outcome | null;
  customerId: string | null;
  customerLogin: string | null;
  customerName: string | null;
  /** What the second factor was asked with; null before it was. */
  challengeId: string | null;
  /** The customer's accounts as the bank gave them; null before the second factor. */
  accounts: Candidate[] | null;
  accountIds: string[];
  failures: number;
  createdAt: Temporal.Instant;
  expiresAt: Temporal.Instant;
};

const columns = sql`uid, consent_id as "consentId", client_id as "clientId", step, outcome,
  customer_id as "customerId", customer_login as "customerLogin",
  customer_name as "customerName", challenge_id as "challengeId", accounts,
  account_ids as "accountIds", failures,
  created_at as "createdAt", expires_at as "expiresAt"`;

/** The journey with that id. */
export const loadJourney = (on: Queryable, uid: string): Promise<JourneyRow | undefined> =>
  first<JourneyRow>(on, sql`select ${columns} from journey where uid = ${uid}`);

/** Stores a new journey at its first step; one that is there already stays as it is. */
export async function storeJourney(
  on: Queryable,
  given: Pick<JourneyRow, "uid" | "consentId" | "clientId" | "createdAt" | "expiresAt">,
): Promise<void> {
  await on.query(sql`
    insert into journey (uid, consent_id, client_id, step, created_at, expires_at)
    values (${given.uid}, ${given.consentId}, ${given.clientId}, 'login', ${given.createdAt},
      ${given.expiresAt})
    on conflict (uid) do nothing`);
}

/** What a step leaves behind; what it leaves out stays as it was. */
export type Advance = {
  to: Exclude<Step, "ended">;
  customer?: BankCustomer;
  challengeId?: string;
  accounts?: Candidate[];
  accountIds?: string[];
  expiresAt: Temporal.Instant;
};

/** Moves a journey on from the step that it is at; false when it is at another one by now. */
export async function advanceJourney(
  on: Queryable,
  row: Pick<JourneyRow, "uid" | "step">,
  { to, customer, challengeId, accounts, accountIds, expiresAt }: Advance,
): Promise<boolean> {
  const rows = await on.query(sql`
    update journey set step = ${to}, expires_at = ${expiresAt},
      customer_id = coalesce(${customer?.customerId ?? null}, customer_id),
      customer_login = coalesce(${customer?.login ?? null}, customer_login),
      customer_name = coalesce(${customer?.name ?? null}, customer_name),
      challenge_id = coalesce(${challengeId ?? null}, challenge_id),
      accounts = coalesce(${accounts ? JSON.stringify(accounts) : null}::json, accounts),
      account_ids = coalesce(${accountIds ?? null}::text[], account_ids)
    where uid = ${row.uid} and step = ${row.step} returning uid`);
  return rows.length === 1;
}

/** Replaces a challenge that does not accept codes any more. */
export async function replaceChallenge(
  on: Queryable,
  row: Pick<JourneyRow, "uid" | "challengeId">,
  challengeId: string,
): Promise<void> {
  await on.query(sql`
    update journey set challenge_id = ${challengeId}
    where uid = ${row.uid} and challenge_id = ${row.challengeId} and step = 'factor'`);
}

/** Counts a failed factor; gives how many there have been. */
export async function countFailure(on: Queryable, uid: string): Promise<number> {
  const row = await first<{ failures: number }>(
    on,
    sql`update journey set failures = failures + 1 where uid = ${uid} returning failures`,
  );
  return row?.failures ?? 0;
}

/** Ends a journey; false when it has ended before. Once it has ended nothing changes it. */
export async function endJourney(
  on: Queryable,
  uid: string,
  outcome: Outcome,
  from: Step | null = null,
): Promise<boolean> {
  const rows = await on.query(sql`
    update journey set step = 'ended', outcome = ${outcome}, accounts = null
    where uid = ${uid} and step <> 'ended' and (${from}::text is null or step = ${from})
    returning uid`);
  return rows.length === 1;
}

/** Whether a customer is on another way to the same consent. */
export async function hasOtherJourney(
  on: Queryable,
  row: Pick<JourneyRow, "uid" | "consentId">,
  now: Temporal.Instant,
): Promise<boolean> {
  const rows = await on.query(sql`
    select uid from journey where consent_id = ${row.consentId} and uid <> ${row.uid}
      and step <> 'ended' and expires_at > ${now} limit 1`);
  return rows.length > 0;
}

/** Journeys whose time is up and that nobody has ended. */
export const loadOverdueJourneys = (on: Queryable, now: Temporal.Instant): Promise<JourneyRow[]> =>
  on.query<JourneyRow>(
    sql`select ${columns} from journey where step <> 'ended' and expires_at <= ${now}
      order by expires_at limit 500`,
  );

const kept = { hours: 24 };

/**
 * Deletes journeys that ended a day ago: who came back to one until then was told how it ended,
 * and the authorization server has forgotten their interactions by now.
 */
export const purgeJourneys = (on: Queryable, now: Temporal.Instant): Promise<void> =>
  purge(
    on,
    (limit) => sql`
      delete from journey where uid in (
        select uid from journey where step = 'ended' and expires_at <= ${now.subtract(kept)}
        limit ${limit} for update skip locked)
      returning uid`,
  );

/** The TPP as customers know it. Source: customer experience guidelines, ground rule 5. */
export async function loadClientName(
  on: Queryable,
  clientId: string,
  scope: "accounts" | "payments",
): Promise<string> {
  const row = await first<{ name: string; behalf: string | null }>(
    on,
    sql`select s.name, s.on_behalf_of as behalf from client cl
      join software s on s.software_id = cl.software_id
      where cl.client_id = ${clientId}`,
  );
  if (!row) return clientId;
  if (!row.behalf) return row.name;
  return scope === "accounts"
    ? `${row.behalf} on behalf of ${row.name}`
    : `${row.name} via ${row.behalf}`;
}

/** Makes the statement that deletes the journeys of some consents, given a query of their ids. */
export const journeysOfConsents = (consentIds: Sql): Sql =>
  sql`delete from journey where consent_id in (${consentIds})`;
