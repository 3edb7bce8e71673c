import { hash } from "node:crypto";
import type { CustomerDevice } from "#src/bank/payment-context.ts";
import type { AccountReference, BankAccount, InternationalTerms } from "#src/bank/port.ts";
import type { Consent, ConsentBody, StatusReason } from "#src/consents/consent.ts";
import { consentFacts } from "#src/consents/consent-facts.ts";
import { usedOnce } from "#src/consents/states.ts";
import {
  type ConsentTerms,
  fromTermsRecord,
  type Recorded,
  type TermsRecord,
} from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import { idFromBytes } from "#src/lib/ids.ts";
import type { Money } from "#src/lib/money.ts";
import {
  type CutOffKind,
  cutOffOf,
  executionInstant,
  hasCome,
  holidaysOf,
  isAfterCutOff,
  settlementInstant,
  type Timing,
} from "#src/payments/calendar/timing.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type {
  PaymentRequest,
  RequestedAccount,
  RequestedUse,
} from "#src/payments/request/payment-request.ts";
import type { Occurrence } from "#src/payments/schedule/schedule.ts";
import type { ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import { checkKind, type KindId, type Stored } from "#src/standard/kind-id.ts";
import type { Mandate, Remittance } from "#src/standard/shared/mandate.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { MultiAuthorisationStatus, OrderFamily } from "./order-states.ts";
import { usedAs } from "./order-use.ts";

// An order: its members, what its id follows from, its expected dates, and how it is loaded.
// create-order.ts stores orders. order-states.ts has the tables of statuses for orders and
// payments, and says which status a TPP sees.

/** An account as far as a TPP may see it: perhaps only the name of its holder. */
export type ShownAccount = Partial<AccountReference>;

/** When a payment is expected to be executed and settled. */
export type ExpectedDates = { execution: Temporal.Instant; settlement: Temporal.Instant };

/** The bank's additions to an order, in no version's format. */
export type OrderTerms = {
  /** The debtor, as far as the TPP may see it. */
  debtor: ShownAccount;
  /** The account for refunds; only if the consent requested it. */
  refund?: AccountReference;
  /** Absent while it is unknown: an immediate payment that awaits signatures. */
  expected?: ExpectedDates;
  /** The members that the TPP sent beyond its consent, which the responses repeat. */
  sent?: ConsentBody;
  /** How the payment comes about, if its consent is used within limits. */
  use?: RequestedUse;
  /** The schedule of a standing order, as ordered; the engine plans payments by it. */
  schedule?: ScheduleRecord;
  /** What was said about a standing order, for account information to show. */
  mandate?: Mandate;
  remittance?: Remittance;
  /** The customer's device when the TPP sent the order; only if the core hears of devices. */
  device?: CustomerDevice;
};

/** The terms of an order as they are stored. */
type OrderTermsRecord = Recorded<OrderTerms>;

/** Reads the stored terms of an order. */
const fromOrderTerms = ({ expected, ...terms }: OrderTermsRecord): OrderTerms => ({
  ...terms,
  ...(expected === undefined
    ? {}
    : {
        expected: {
          execution: Temporal.Instant.from(expected.execution),
          settlement: Temporal.Instant.from(expected.settlement),
        },
      }),
});

/** A payment order: the resource that a TPP creates with a consent. */
export type PaymentOrder = {
  orderId: string;
  consentId: string;
  kind: KindId;
  family: OrderFamily;
  /** The version of the API that it was submitted on: `pisp-v4.0`. */
  apiVersion: ApiVersionId;
  clientId: string;
  customerId: string;
  debtorAccountId: string;
  /** In the internal vocabulary; TPPs see the kind's statuses. */
  status: string;
  statusReason: StatusReason<string>[];
  createdAt: Temporal.Instant;
  statusUpdatedAt: Temporal.Instant;
  terms: OrderTerms;
  /** Null, like the next members, if one signatory is enough. */
  signatoriesRequired: number | null;
  signatoriesReceived: number | null;
  authorisationStatus: MultiAuthorisationStatus | null;
  authorisationUpdatedAt: Temporal.Instant | null;
  authorisationExpiresAt: Temporal.Instant | null;
  signedBy: string[];
};

/**
 * An account of the bank as the standard names it: by sort code and number, and by its IBAN for
 * payers abroad.
 */
export function standardAccount(
  account: BankAccount,
  { international }: Pick<PaymentRequest, "international">,
): AccountReference {
  const abroad = international !== null && account.iban !== null;
  const sortCode = abroad ? null : account.sortCodeAccountNumber;
  return {
    schemeName: sortCode === null ? "UK.OBIE.IBAN" : "UK.OBIE.SortCodeAccountNumber",
    identification: sortCode ?? present(account.iban, "a payment account's identification"),
    name: account.holderName,
    secondaryIdentification: sortCode === null ? null : (account.secondaryIdentification ?? null),
  };
}

/**
 * The debtor, as far as a TPP may see it: the account exactly as the TPP named it; the whole
 * account if the TPP may see it for refunds, or the consent is used within limits; otherwise only
 * the holder's name. Source: PC-10; PISP profile, OBDomesticRefundAccount1; V-053.
 */
export function debtorOf(
  account: BankAccount,
  request: PaymentRequest,
  { shape }: { shape: { showsDebtor?: true } },
): ShownAccount {
  const named = namedAccount(request.debtor);
  if (named) return { ...named, name: account.holderName };
  if (request.readsRefundAccount || shape.showsDebtor) return standardAccount(account, request);
  return { name: account.holderName };
}

/** The account that the TPP named; null if it named none, or none that can be found. */
export function namedAccount(account: RequestedAccount | null): AccountReference | null {
  if (account === null) return null;
  const { schemeName, identification } = account;
  if (schemeName === null || identification === null) return null;
  return { ...account, schemeName, identification };
}

/** What an order or a payment is made for. Its id follows only from this. */
export type Origin =
  /** A consent that one order uses up. */
  | { of: "consent"; consentId: string }
  /** A consent that allows several orders: each is made by a request with an idempotency key. */
  | {
      of: "request";
      consentId: string;
      /** Method and path: a key is unique for one operation only. */
      operation: string;
      key: string;
      fingerprint: string;
      /** How many orders of the consent had the same origin before; their keys had expired. */
      earlier: number;
    }
  /** The payment before it in the same order. */
  | { of: "payment"; paymentId: string }
  /** The file of a consent: the number of the instruction, from 1. */
  | { of: "file"; consentId: string; line: number };

/**
 * The id of an order or payment, in the form of `newId`. It is the same whenever it is derived
 * from the same origin, so that the core sees that a payment is repeated after Aldgate's database
 * was restored from an older backup. The texts that are hashed must never change: the core knows
 * payments for ever, and a payment with another id is another payment.
 */
export const derivedId = (prefix: string, origin: Origin): string =>
  idFromBytes(prefix, hash("sha256", JSON.stringify([prefix, ...partsOf(origin)]), "buffer"));

function partsOf(origin: Origin): (string | number)[] {
  switch (origin.of) {
    case "consent":
      return ["consent", origin.consentId];
    case "request": {
      const { consentId, operation, key, fingerprint, earlier } = origin;
      return ["request", consentId, operation, key, fingerprint, earlier];
    }
    case "payment":
      return ["payment", origin.paymentId];
    case "file":
      return ["file", origin.consentId, origin.line];
  }
}

/** The expected dates of a payment that is executed at that instant by its local instrument. */
export function expectedDates(
  execution: Temporal.Instant,
  { localInstrument }: Pick<PaymentRequest, "localInstrument">,
  config: PaymentConfig,
): ExpectedDates {
  return {
    execution,
    settlement: settlementInstant(localInstrument, execution, holidaysOf(config)),
  };
}

/**
 * The expected dates of a consent that has not been used; null if it cannot be used any more. They
 * are counted from its last step, and move if a cut-off passes meanwhile.
 */
export function expectedDatesOfConsent(
  kind: CutOffKind & { timing: Timing; givesExpectedDates: boolean },
  consent: Consent,
  request: PaymentRequest,
  now: Temporal.Instant,
  config: PaymentConfig,
): ExpectedDates | null {
  if (!kind.givesExpectedDates) return null;
  if (consent.status !== "AWAU" && consent.status !== "AUTH") return null;
  const plan = (from: Temporal.Instant): Temporal.Instant =>
    executionInstant(kind, request, from, config) ?? from;
  const planned = plan(consent.authorisedAt ?? consent.createdAt);
  const cutOff = cutOffOf(kind, config);
  const missed = cutOff.strategy === "accept" && isAfterCutOff(now, cutOff);
  return expectedDates(missed && hasCome(planned, now) ? plan(now) : planned, request, config);
}

/** An order with the members of its consent that it repeats. */
export type OrderWithConsent = PaymentOrder & {
  consentBody: ConsentBody;
  /** The version that the consent was created on. */
  consentVersion: ApiVersionId;
  consentTerms: ConsentTerms;
};

/** Orders with the TPP and the customer of each, as a table for statements of other rooms. */
export const orderParties: Sql = sql`(select order_id, client_id, customer_id from payment_order)`;

/** The TPP and the kind of each order, as the events of its changes need them. */
export const orderSubjects: Sql = sql`
  select order_id as object_id, client_id, kind, order_id as resource_id, api_version
  from payment_order`;

/**
 * SQL: an order as notices of its changes describe it. `signatures` says how many of those who must
 * sign it had done so; null if one signature is enough.
 */
export const noticedOrder = (orderId: Sql, signatures: Sql): Sql => sql`
  select o.consent_id as "consentId", o.order_id as "orderId", o.kind, o.family::text,
    o.client_id as "noticedClient",
    case when ${signatures} is null then array[o.customer_id]
      else o.signed_by[1:${signatures}] end as "customerIds",
    array[o.debtor_account_id] as "accountIds", null::timestamptz as "expiresAt"
  from payment_order o where o.order_id = ${orderId}`;

/** The ids of the payments of an order, as a query for statements of other rooms. */
export const paymentIdsOf = (orderId: string): Sql =>
  sql`select payment_id from payment where order_id = ${orderId}`;

/** SQL: whether an order that has used up this consent still has a payment to be made. */
export const hasWaitingPayment = (consentId: Sql): Sql => sql`exists (
  select from payment_order o join payment p on p.order_id = o.order_id
  where o.consent_id = ${consentId} and ${usedAs(usedOnce, sql`o.consent_use`)}
    and p.due_at is not null)`;

type OrderRow = Omit<Stored<OrderWithConsent>, "terms" | "consentTerms"> & {
  terms: OrderTermsRecord;
  consentTerms: TermsRecord;
};

/** Loads the order with this id, whoever owns it. */
export async function loadOrder(
  on: Queryable,
  orderId: string,
): Promise<OrderWithConsent | undefined> {
  const row = await first<OrderRow>(
    on,
    sql`select o.order_id as "orderId", o.consent_id as "consentId", o.kind, o.family,
        o.api_version as "apiVersion", o.client_id as "clientId", o.customer_id as "customerId",
        o.debtor_account_id as "debtorAccountId", o.status, o.status_reason as "statusReason",
        o.created_at as "createdAt", o.status_updated_at as "statusUpdatedAt", o.terms,
        o.signatories_required as "signatoriesRequired",
        o.signatories_received as "signatoriesReceived",
        o.authorisation_status as "authorisationStatus",
        o.authorisation_updated_at as "authorisationUpdatedAt",
        o.authorisation_expires_at as "authorisationExpiresAt", o.signed_by as "signedBy",
        c.body as "consentBody", c.api_version as "consentVersion", c.terms as "consentTerms"
      from payment_order o join ${consentFacts} c on c.consent_id = o.consent_id
      where o.order_id = ${orderId}`,
  );
  if (!row) return undefined;
  return checkKind<OrderWithConsent>({
    ...row,
    terms: fromOrderTerms(row.terms),
    consentTerms: fromTermsRecord(row.consentTerms),
  });
}

/** Loads the bank's additions to the order that used up a consent. */
export async function loadOrderTerms(
  on: Queryable,
  consentId: string,
): Promise<OrderTerms | undefined> {
  const row = await first<{ terms: OrderTermsRecord }>(
    on,
    sql`
      select terms from payment_order
      where consent_id = ${consentId} and ${usedAs(usedOnce, sql`consent_use`)}`,
  );
  return row && fromOrderTerms(row.terms);
}

/** The parts of an order's consent that its bodies need. */
export const consentOf = ({
  consentBody: body,
  consentVersion: apiVersion,
}: Pick<OrderWithConsent, "consentBody" | "consentVersion">) => ({ apiVersion, body });

const countedTogether = 32;

/** Counts the stored orders whose ids a sequence of numbers gives, from 0 and without gaps. */
export async function countOrders(
  on: Queryable,
  idOf: (position: number) => string,
): Promise<number> {
  for (let from = 0; ; from += countedTogether) {
    const ids = Array.from({ length: countedTogether }, (_, index) => idOf(from + index));
    const rows = await on.query(sql`
      select order_id from payment_order where order_id = any(${ids}::text[])`);
    if (rows.length < countedTogether) return from + rows.length;
  }
}

/** One payment of an order, before it has an id. */
export type PaymentDraft = {
  /** The debit, without the charge. */
  amount: Money;
  /** The bank's charge to the debtor, in the same currency. */
  chargeMinor: bigint;
  /** When the payment is to be executed; null means immediately. */
  executeAt: Temporal.Instant | null;
  creditor: AccountReference;
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
  /** For a payment of a schedule: its scheduled date, and whether it is the last one. */
  occurrence?: Pick<Occurrence, "date" | "isLast">;
  /**
   * For international payments: `amount` may be in another currency, and the charges are in here.
   */
  international?: InternationalTerms;
};
