import type { ConsentBody } from "#src/consents/consent.ts";
import { consentFacts } from "#src/consents/consent-facts.ts";
import { checkKind, type Stored } from "#src/consents/stored-kind.ts";
import { type ConsentTerms, fromTermsRecord, type TermsRecord } from "#src/consents/terms.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import {
  fromOrderTerms,
  type OrderTerms,
  type OrderTermsRecord,
  type PaymentOrder,
} from "./payment-order.ts";

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
    sql`select terms from payment_order where consent_id = ${consentId} and consent_use = 'once'`,
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
