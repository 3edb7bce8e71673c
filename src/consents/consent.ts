import type { BankAccount } from "#src/bank/port.ts";
import { byCustomer, changed, recorded, recording, type Why } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import type { ApiVersionId, ConsentStatus } from "#src/standard/api-version.ts";
import type { ReasonCode } from "#src/standard/error-codes.ts";
import { checkKind, type KindId, type Stored } from "#src/standard/kind-id.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { integer, literal } from "#src/storage/prepared.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { coveredAccountIds } from "./consent-account.ts";
import { setDeleted, setStatus, stageOf } from "./set-status.ts";
import type { Showing } from "./showing.ts";
import {
  type ConsentCourse,
  type ConsentEvent,
  type InitialStatus,
  statusAfter,
  statusesBefore,
} from "./states.ts";
import { type ConsentTerms, fromTermsRecord, type TermsRecord, termsJson } from "./terms.ts";

/**
 * Why a consent or an order has its status, as it is stored. Aldgate's own reasons have published
 * codes. A reason of an order may have a code from the bank's core instead. If a member of the
 * TPP's request is the cause, `path` is its place in that request, in the request's version.
 */
export type StatusReason<Code extends string = ReasonCode> = {
  code: Code;
  text: string;
  path?: string;
  /** Where the consent was stopped, and by whom. TPPs do not see it. */
  channel?: StopChannel;
};

/** Where a consent was stopped (an app, a call centre), by whom there, and why. */
export type StopChannel = { name: string; actor: string; reason: string };

/** Makes a status reason. */
export const statusReason = (code: ReasonCode, text: string, path?: string): StatusReason => ({
  code,
  text,
  ...(path === undefined ? {} : { path }),
});

/** A consent: what a TPP requests and what the customer has allowed. */
export type Consent = {
  consentId: string;
  kind: KindId;
  /** The API version on which it was created, such as `pisp-v4.0`. */
  apiVersion: ApiVersionId;
  clientId: string;
  status: ConsentStatus;
  statusReason: StatusReason[];
  createdAt: Temporal.Instant;
  statusUpdatedAt: Temporal.Instant;
  expiresAt: Temporal.Instant | null;
  /** `{Data, Risk}` as the TPP sent it. */
  body: ConsentBody;
  terms: ConsentTerms;
  permissions: string[];
  transactionsFrom: Temporal.Instant | null;
  transactionsTo: Temporal.Instant | null;
  customerId: string | null;
  accountIds: string[];
  /** The account to be debited, as it was when the customer chose it; null for account access. */
  debtor: BankAccount | null;
  grantId: string | null;
  authorisedAt: Temporal.Instant | null;
  /** When the customer paused its payments; null if they are not paused. */
  pausedAt: Temporal.Instant | null;
};

/** Bodies differ by kind. Code that knows the kind narrows the type with the kind's schema. */
export type ConsentBody = { Data: Record<string, unknown>; Risk?: Record<string, unknown> };

/** A consent, perhaps with further columns, as the database returns it. */
export type ConsentRow<Row extends Consent = Consent> = Omit<Stored<Row>, "terms"> & {
  terms: TermsRecord;
};

/**
 * Reads a consent that the database returned. Throws if this release does not know its kind. Its
 * terms are read here once, for everything that uses them.
 */
export const consentOfRow = <Row extends Consent>(row: ConsentRow<Row>): Row =>
  checkKind<Row>({ ...row, terms: fromTermsRecord(row.terms) } as unknown as Stored<Row>);

/** The columns of a consent in the shape of `ConsentRow`, with the given SQL for its body. */
export const consentColumnsWith = (body: Sql): Sql => sql`
  consent_id as "consentId", kind, api_version as "apiVersion", client_id as "clientId", status,
  status_reason as "statusReason", created_at as "createdAt",
  status_updated_at as "statusUpdatedAt", expires_at as "expiresAt", ${body} as body, terms,
  permissions, transactions_from as "transactionsFrom", transactions_to as "transactionsTo",
  customer_id as "customerId", ${coveredAccountIds(sql`consent.consent_id`)} as "accountIds",
  debtor, grant_id as "grantId", authorised_at as "authorisedAt",
  paused_at as "pausedAt"`;

/** The columns of a consent in the shape of `ConsentRow`. */
export const consentColumns = consentColumnsWith(sql`body`);

/**
 * SQL: a consent that is not deleted, in the shape of `ConsentRow`, for statements that read more
 * with it.
 */
export const consentRow = (consentId: string | null | Sql): Sql =>
  sql`select ${consentColumns} from consent where consent_id = ${consentId} and deleted_at is null`;

/** Loads a consent. Returns undefined if it does not exist or was deleted. */
export const loadConsent = (on: Queryable, consentId: string): Promise<Consent | undefined> =>
  firstConsent(on, consentRow(consentId));

async function firstConsent(on: Queryable, statement: Sql): Promise<Consent | undefined> {
  const row = await first<ConsentRow>(on, statement);
  return row && consentOfRow(row);
}

/** The consent that a grant belongs to, or belonged to; undefined if there is no such grant. */
export const consentOfGrant = (
  on: Queryable,
  grantId: string,
): Promise<{ consentId: string } | undefined> =>
  first(
    on,
    sql`select consent_id as "consentId" from consent_authorisation where grant_id = ${grantId}`,
  );

/** Removes the grant of a consent, whose tokens are then invalid. */
export async function endGrant(on: Queryable, grantId: string, why: Why): Promise<void> {
  await on.query(
    sql`update consent set grant_id = null, ${changed(why)} where grant_id = ${grantId}`,
  );
}

/**
 * Deletes a consent for its TPP; the row remains as a record. Returns the `grant_id` that it had.
 */
export const consentDeletion = (consentId: string, why: Why): Sql => sql`
  update consent set ${setDeleted(why.at)}, ${changed(why)}
  where consent_id = ${consentId} and deleted_at is null
  returning grant_id`;

type Loaded = Pick<Consent, "authorisedAt" | "grantId" | "pausedAt">;

/**
 * The customer's decision; `grantId` replaces an earlier grant, whose tokens then become invalid.
 */
export type Authorisation = {
  consentId: string;
  course: ConsentCourse;
  customerId: string;
  /** The accounts that the customer chose. A consent that already has accounts keeps them. */
  accountIds: string[];
  /** The account to be debited; null for account access. */
  debtor: BankAccount | null;
  grantId: string;
  evidence: Evidence;
  now: Temporal.Instant;
  /** The consent as it was loaded: the decision fails if it was authorised or paused since then. */
  loaded?: Loaded;
  /** A statement that returns a row if the customer has confirmed it; run with the decision. */
  confirmation?: Sql;
  /** Statements that run with the decision. `authorised` has a row for them if it is made. */
  along?: readonly Sql[];
};

/** The evidence that the customer authorised what they were shown. */
export type Evidence = {
  /** The authentication level and methods, as in an id_token. */
  acr: string;
  amr: readonly string[];
  /** How the customer answered, such as `code`. */
  method: string;
  /** When the customer answered. */
  answeredAt: Temporal.Instant;
  /** All that the customer was shown on the way, in its order. */
  showings: readonly Showing[];
};

/**
 * Moves a consent to AUTH. Returns false if its status does not allow that, if another customer
 * authorised it before, if it was authorised, paused or resumed since it was loaded, if its
 * contract has ended, or if the customer has not confirmed it. Re-authentication changes neither
 * the accounts nor the status time, and resumes payments that the customer has paused. Each
 * authorisation is stored with its evidence; a trigger stores how it ends. Source: E-011.
 */
export async function authoriseConsent(on: Queryable, given: Authorisation): Promise<boolean> {
  const { course, confirmation, loaded, along = [] } = given;
  const before = statusesBefore(course, "authorise");
  const { acr, amr, method, answeredAt, showings } = given.evidence;
  const isFirst = loaded?.authorisedAt === null;
  const others = along.map((each, index) => sql`, along_${integer(index)} as (${each})`);
  const rows = await on.query(sql`
    with ${confirmation ? sql`confirmed as (${confirmation}),` : sql``}
    authorised as (
    update consent set ${setStatus("AUTH", stageOf(course, "AUTH"))}, status_reason = '[]',
      grant_id = ${given.grantId},
      status_updated_at = case when status = 'AUTH' then status_updated_at else ${given.now} end,
      authorised_at = coalesce(authorised_at, ${given.now}), authenticated_at = ${given.now},
      customer_id = ${given.customerId}, paused_at = null,
      debtor = coalesce(debtor, ${given.debtor && JSON.stringify(given.debtor)}::json),
      ${isFirst ? recorded(given.now) : changed(byCustomer(given.now))}
    where consent_id = ${given.consentId} and deleted_at is null
      and status = any(${before}::text[])
      and (customer_id is null or customer_id = ${given.customerId})
      ${loaded ? unchangedSince(loaded) : sql``}
      ${isFirst ? sql`and ${rowFilter(sql`authorised_at is null`)}` : sql``}
      ${course.mayHaveContract ? underNoEndedContract : sql``}
      ${confirmation ? sql`and exists (select from confirmed)` : sql``}
    returning consent_id, api_version,
      consent_history(status, status_reason::text, grant_id, deleted_at) as facts),
    evidence as (
    insert into consent_authorisation (grant_id, consent_id, customer_id, authorised_at, acr, amr,
      method, answered_at, showings)
    select ${given.grantId}::text, consent_id, ${given.customerId}::text,
      ${given.now}::timestamptz, ${acr}::text, ${amr}::text[], ${method}::text,
      ${answeredAt}::timestamptz, ${JSON.stringify(showings)}::json
    from authorised)
    ${others.reduce((all, next) => sql`${all}${next}`, sql``)}
    ${isFirst ? firstAccounts(given) : laterAccounts(given)}`);
  return rows.length === 1;
}

const unchangedSince = ({ grantId, pausedAt }: Loaded): Sql => sql`
  and grant_id is not distinct from ${grantId}::text
  and (paused_at is not null) = ${pausedAt !== null}`;

const underNoEndedContract = sql`
  and ${rowFilter(sql`terms->'vrpContract'->>'endedAt' is null`)}`;

/**
 * The rest of a first authorisation. It ends no earlier one and the consent has no accounts yet, so
 * it needs no triggers, and writes its history itself.
 */
const firstAccounts = ({ accountIds, now }: Authorisation): Sql => sql`,
  history as (${recording(sql`
    select 'consent', consent_id, facts, 'customer', null::text, api_version, ${now}::timestamptz
    from authorised`)}),
  chosen as (
    insert into consent_account (consent_id, account_id, covered_from)
    select consent_id, account_id, ${now}::timestamptz
    from authorised, unnest(${accountIds}::text[]) account_id)
  select consent_id from authorised`;

const laterAccounts = ({ accountIds, now }: Authorisation): Sql => sql`
  select consent_id, choose_accounts(consent_id, ${accountIds}::text[], ${now}) from authorised`;

/**
 * Moves a consent by an event that always leads to the same status. Returns false if its status
 * does not allow the event or, when `leaving` is given, is not in that list.
 */
export async function moveConsent(
  on: Queryable,
  { consentId }: Pick<Consent, "consentId">,
  course: ConsentCourse,
  event: Exclude<ConsentEvent, "authorise" | "consume" | "expire">,
  reasons: StatusReason[],
  why: Why,
  leaving?: readonly ConsentStatus[],
): Promise<boolean> {
  const before = statusesBefore(course, event).filter(
    (status) => leaving === undefined || leaving.includes(status),
  );
  const after = statusAfter(course, event);
  if (before.length === 0 || !after) return false;
  const rows = await on.query(sql`
    update consent set ${setStatus(after, stageOf(course, after))}, status_updated_at = ${why.at},
      status_reason = ${JSON.stringify(reasons)}::json, ${changed(why)}
    where consent_id = ${consentId} and deleted_at is null
      and status = any(${before}::text[])
    returning consent_id`);
  return rows.length === 1;
}

/** What a consent is waiting for: its file, or its customer. */
export const waitingReasons: Readonly<Record<InitialStatus, StatusReason>> = {
  AWUP: statusReason("U036", "The file has not been uploaded yet."),
  AWAU: statusReason("U036", "The customer has not authorised the consent yet."),
};

/**
 * Makes the statement that moves a consent on once its file has arrived, so that it waits for its
 * customer, and stores the bank's additions. It returns the `consent_id`, or no row if the
 * consent's status does not allow the move. Source: P-195.
 */
export function fileArrival(
  { consentId }: Pick<Consent, "consentId">,
  course: ConsentCourse,
  terms: ConsentTerms,
  why: Why,
): Sql {
  const after = present(statusAfter(course, "upload"), "the status after an upload");
  return sql`
    update consent set ${setStatus(after, stageOf(course, after))},
      status_updated_at = ${why.at},
      status_reason = ${JSON.stringify([waitingReasons.AWAU])}::json,
      terms = ${termsJson(terms)}::json, ${changed(why)}
    where consent_id = ${consentId} and deleted_at is null
      and status = any(${statusesBefore(course, "upload")}::text[])
    returning consent_id`;
}

/** Why a payment consent is used up. */
export const consumedReason: StatusReason = {
  code: "U038",
  text: "The consent has been used for a payment.",
};

/**
 * SQL: uses authorised payment consents, one for each row of `given`. It is the first part of the
 * statement that creates their orders. Each row has the ids of the consent and of the new order
 * (`consent_id`, `order_id`), the time in `created_at` and the request in `interaction_id`. It
 * returns the row, with the columns that `consumptionHistory` needs, for each consent that was
 * still authorised; if several rows have the same consent, only one of them. The rest of the
 * statement therefore need not read `given` again. The ids are also given as an array. With the
 * join alone, the server would plan to read all consents while there are few, and keep that plan.
 * All consents have the same course. Consents that are used within limits are locked by
 * `lock_consents` instead, and do not change.
 */
export function consumption(given: Sql, course: ConsentCourse): Sql {
  const after = present(statusAfter(course, "consume"), "the status of a used consent");
  const reasons = JSON.stringify([consumedReason]);
  return sql`
  update consent c set ${setStatus(after, stageOf(course, after))},
    status_updated_at = g.created_at,
    status_reason = ${reasons}::json,
    ${recorded(sql`g.created_at`)}
  from ${given} g
  where c.consent_id = g.consent_id and c.deleted_at is null
    and c.consent_id = any(array(select consent_id from ${given}))
    and c.status = any(${statusesBefore(course, "consume")}::text[])
  returning g.*, c.api_version as consent_version,
    consent_history(${literal(after)}, ${literal(reasons)}, c.grant_id, null) as consent_facts`;
}

/** SQL: the changes that a `consumption` makes, as rows for `recording`. */
export const consumptionHistory = (consumed: Sql): Sql => sql`
  select 'consent', consent_id, consent_facts, 'tpp', interaction_id, consent_version, created_at
  from ${consumed}`;
