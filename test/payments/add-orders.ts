import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { kindNamed, type PaymentKindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { givenRows } from "#test/given-rows.ts";

/** The first payment of an order to store. */
export type GivenPayment = {
  paymentId: string;
  amountMinor: bigint;
  creditor: object;
  reference: string;
  executeAt: Temporal.Instant | null;
  dueAt: Temporal.Instant | null;
};

/** An order to store, in any state. Its consent must be stored. Its payment has its status. */
export type GivenOrder = {
  orderId: string;
  consentId: string;
  kind: PaymentKindId;
  clientId: string;
  customerId: string;
  debtorAccountId: string;
  status: string;
  /** When it was created, and got its status. */
  at: Temporal.Instant;
  /** Whether another holder must still sign. */
  waits?: boolean;
  /** Until when another holder can sign. */
  signableUntil?: Temporal.Instant | null;
  /** How many holders must sign. */
  signatories?: number | null;
  /** The holders who have signed. */
  signedBy?: readonly string[];
  payment?: GivenPayment;
};

/** Stores orders, all in one statement. */
export const addOrders = (on: Queryable, given: readonly GivenOrder[]): Promise<unknown> => {
  const rows = given.map((order) => ({
    ...order,
    ...order.payment,
    payment: null,
    family: kindNamed(order.kind, paymentKinds).family,
  }));
  return on.query(sql`
    with given as materialized (
      select "orderId", "consentId", kind, family, "clientId", "customerId", "debtorAccountId",
        status, at, waits, "signableUntil", signatories, "signedBy", "paymentId", "amountMinor",
        creditor, reference, "executeAt", "dueAt"
      from json_to_recordset(${givenRows(rows)}::json) as g("orderId" text,
        "consentId" text, kind text, family order_family, "clientId" text, "customerId" text,
        "debtorAccountId" text, status text, at timestamptz, waits boolean,
        "signableUntil" timestamptz, signatories integer, "signedBy" text[], "paymentId" text,
        "amountMinor" bigint, creditor json, reference text, "executeAt" timestamptz,
        "dueAt" timestamptz)
    ), stored as (
      insert into payment_order (api_version, order_id, consent_id, kind, family, client_id,
        customer_id, debtor_account_id, status, created_at, status_updated_at,
        authorisation_status, authorisation_expires_at, signatories_required,
        signatories_received, signed_by)
      select 'pisp-v4.0', "orderId", "consentId", kind, family, "clientId", "customerId",
        "debtorAccountId", status, at, at, case when waits then 'AWAF' end, "signableUntil",
        signatories, case when signatories is not null then cardinality("signedBy") end,
        coalesce("signedBy", '{}')
      from given
    )
    insert into payment (payment_id, order_id, sequence, status, created_at, status_updated_at,
      debtor_account_id, amount_minor, currency, creditor, reference, execute_at, due_at)
    select "paymentId", "orderId", 1, status, at, at, "debtorAccountId", "amountMinor", 'GBP',
      creditor, reference, "executeAt", "dueAt"
    from given where "paymentId" is not null`);
};

/** Notes keys of idempotent requests of a client, each created at this time. */
export const addIdempotencyKeys = (
  on: Queryable,
  given: { clientId: string; operation: string; keys: readonly string[]; at: Temporal.Instant },
): Promise<unknown> =>
  on.query(sql`
    insert into idempotency_key (client_id, operation, key, fingerprint, resource_id, created_at)
    select ${given.clientId}::text, ${given.operation}::text, key, '', '',
      ${given.at}::timestamptz
    from unnest(${given.keys}::text[]) as key`);

/** Stores a file of one byte for a consent. */
export async function addFile(on: Queryable, fileId: string, consentId: string): Promise<void> {
  await on.query(sql`
    insert into payment_file (file_id, consent_id, content_type)
    values (${fileId}, ${consentId}, 'application/json')`);
  await on.query(sql`
    insert into payment_file_chunk (file_id, position, bytes)
    values (${fileId}, 0, 'x'::bytea)`);
}

/** Stores an instruction of a file, as if all those before it were stored too. */
export const addInstructions = (on: Queryable, fileId: string, sequence: number) =>
  on.query(sql`
    insert into payment_file_batch (file_id, first_sequence, instructions)
    values (${fileId}, ${sequence}, '[]'::json)`);
