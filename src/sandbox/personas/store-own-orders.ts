import { registerClient } from "#src/clients/register-client.ts";
import { byBank } from "#src/history/change.ts";
import type { PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * The client of orders that a customer sets up with the bank itself. It has no keys and is
 * suspended, so no call is ever made in its name.
 */
export const ownChannel = {
  clientId: "aldgate-own-channel",
  name: "Aldgate Bank",
  // the version whose words its bodies are in
  apiVersion: pispV40.id,
};

/** An order that was set up in the bank's own channel, with the consent that it has consumed. */
export type OwnOrder = {
  order_id: string;
  consent_id: string;
  /** RFC 3339. */
  created_at: string;
  /** Of the consent, as a TPP would have sent it. */
  body: object;
  customer_id: string | undefined;
  debtor_account_id: string;
  consent_terms: object;
  terms: object;
  /** Null where one signature is enough. */
  signatories: number | null;
  signed_by: readonly string[];
};

/** Stores orders of one kind and status, each with its consent; payments are the caller's. */
export async function storeOwnOrders(
  on: Queryable,
  {
    kind,
    status,
    now,
  }: {
    kind: Pick<PaymentKind, "id" | "family">;
    status: string;
    now: Temporal.Instant;
  },
  orders: readonly OwnOrder[],
): Promise<void> {
  const rows = JSON.stringify(orders);
  await registerClient(on, {
    clientId: ownChannel.clientId,
    organisation: { organisationId: "aldgate", name: ownChannel.name },
    software: { softwareId: "own-channel", name: ownChannel.name, roles: [] },
    metadata: {},
    certificateSubject: null,
    keys: [],
    setting: { status: "suspended" },
    why: byBank(now),
  });
  await on.query(sql`
    insert into consent (consent_id, kind, api_version, client_id, status, created_at,
      status_updated_at, body, terms, customer_id, authorised_at)
    select consent_id, ${kind.id}, ${ownChannel.apiVersion}, ${ownChannel.clientId}, 'COND',
      created_at, created_at, body,
      consent_terms, customer_id, created_at
    from json_to_recordset(${rows}::json) as r(consent_id text, created_at timestamptz, body json,
      consent_terms json, customer_id text)`);
  await on.query(sql`
    insert into consent_account (consent_id, account_id, covered_from)
    select consent_id, debtor_account_id, created_at
    from json_to_recordset(${rows}::json) as r(consent_id text, created_at timestamptz,
      debtor_account_id text)`);
  await on.query(sql`
    insert into payment_order (order_id, consent_id, kind, family, api_version, client_id,
      customer_id, debtor_account_id, status, created_at, status_updated_at, terms,
      signatories_required, signatories_received, authorisation_status, authorisation_updated_at,
      signed_by)
    select order_id, consent_id, ${kind.id}, ${kind.family}, ${ownChannel.apiVersion},
      ${ownChannel.clientId},
      customer_id, debtor_account_id, ${status}, created_at, created_at, terms, signatories,
      signatories,
      case when signatories > 1 then 'AUTH' end, case when signatories > 1 then created_at end,
      signed_by
    from json_to_recordset(${rows}::json) as r(order_id text, consent_id text,
      created_at timestamptz, customer_id text, debtor_account_id text, terms json,
      signatories integer, signed_by text[])`);
}
