import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { kindNamed, type PaymentKindId } from "#src/standard/kind-id.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { addAccounts } from "#test/account-store/add-accounts.ts";
import { addHolders } from "#test/account-store/add-holders.ts";
import { addClient } from "#test/clients/add-client.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { addCustomers } from "#test/sandbox/stored-customers.ts";
import { addLedgerAccounts, addPostings } from "#test/sandbox/stored-ledger.ts";

/** The scheme of the fixtures' account numbers. */
export const scheme = "UK.OBIE.SortCodeAccountNumber";

const opened = Temporal.Instant.from("2024-01-01T00:00:00Z");

/** An account at another bank. */
export const elsewhere = "20001512345678";

/** Returns the sort code and account number of the nth account. */
export const numberOf = (n: number): string => `404784${String(n).padStart(8, "0")}`;

/**
 * Fills an empty database with a TPP, two customers (`ann`, and `bob` who signs with her), and
 * accounts `account-1` … `account-n` with the given opening balance.
 */
export async function insertAccounts(
  database: Database,
  { accounts, balanceMinor }: { accounts: number; balanceMinor: bigint },
): Promise<void> {
  const ids = Array.from({ length: accounts }, (_, index) => `account-${index + 1}`);
  await addClient(database, "tpp", { name: "A TPP", roles: ["PISP"] });
  await addCustomers(
    database,
    ["ann", "bob", "eve"].map((name) => ({ customerId: name, name })),
  );
  const account = { holderName: "Ann", openedOn: "2024-01-01", statusUpdatedAt: opened };
  await addAccounts(
    database,
    ids.map((accountId, index) => ({
      ...account,
      accountId,
      sortCodeAccountNumber: numberOf(index + 1),
    })),
  );
  await addHolders(
    database,
    ids.flatMap((accountId) =>
      ["ann", "bob"].map((customerId) => ({ accountId, customerId, role: "joint" as const })),
    ),
  );
  await addLedgerAccounts(
    database,
    ids.map((accountId) => ({ accountId })),
  );
  const opening = { from: "internal-opening", amountMinor: balanceMinor, bookedAt: opened };
  await addPostings(
    database,
    ids.map((to) => ({ ...opening, to, postingId: `opening-${to}` })),
  );
}

/** A single-payment order to insert. Brackets contain the value of an absent member. */
export type TestOrder = {
  orderId: string;
  /** [`domestic-payment`] */
  kind?: PaymentKindId;
  /** [`RCVD`] */
  status?: string;
  /** [`account-1`] */
  debtor?: string;
  /** [100] */
  amountMinor?: bigint;
  /** Sort code and account number [those of `account-2`] */
  creditor?: string;
  creditorName?: string;
  executeAt?: Temporal.Instant | null;
  /** [`createdAt`] */
  dueAt?: Temporal.Instant | null;
  signatories?: number | null;
  expiresAt?: Temporal.Instant | null;
};

/** Returns the id of an order's payment. */
export const paymentOf = (orderId: string): string => `${orderId}-1`;

/** Inserts orders as their creation leaves them: consents consumed, orders and payments stored. */
export async function insertOrders(
  database: Database,
  orders: readonly TestOrder[],
  createdAt: Temporal.Instant,
): Promise<void> {
  const column = <T>(pick: (order: TestOrder) => T): T[] => orders.map(pick);
  const creditors = column(({ creditor, creditorName }) =>
    JSON.stringify({
      schemeName: scheme,
      identification: creditor ?? numberOf(2),
      name: creditorName ?? "Creditor",
    }),
  );
  await database.transaction(async (on) => {
    await addConsents(
      on,
      orders.map(({ orderId, kind = "domestic-payment", debtor = "account-1" }) => ({
        consentId: `consent-${orderId}`,
        kind,
        clientId: "tpp",
        status: "COND",
        at: createdAt,
        body: { Data: {}, Risk: {} },
        customerId: "ann",
        authorisedAt: createdAt,
        accountIds: [debtor],
      })),
    );
    await on.query(sql`
    with given as (
      select id, kind, family, status, debtor, amount, creditor, execute_at, due_at, signatories,
        expires_at
      from unnest(
        ${column(({ orderId }) => orderId)}::text[],
        ${column(({ kind }) => kind ?? "domestic-payment")}::text[],
        ${column(({ kind }) => kindNamed(kind ?? "domestic-payment", paymentKinds).family)}::text[],
        ${column(({ status }) => status ?? "RCVD")}::text[],
        ${column(({ debtor }) => debtor ?? "account-1")}::text[],
        ${column(({ amountMinor }) => amountMinor ?? 100n)}::bigint[],
        ${creditors}::text[],
        ${column(({ executeAt }) => executeAt ?? null)}::timestamptz[],
        ${column(({ dueAt }) => (dueAt === undefined ? createdAt : dueAt))}::timestamptz[],
        ${column(({ signatories }) => signatories ?? null)}::integer[],
        ${column(({ expiresAt }) => expiresAt ?? null)}::timestamptz[]
      ) as g(id, kind, family, status, debtor, amount, creditor, execute_at, due_at, signatories,
        expires_at)
    ), stored as (
      insert into payment_order (api_version, order_id, consent_id, kind, family, client_id,
        customer_id,
        debtor_account_id, status, created_at, status_updated_at, signatories_required,
        signatories_received, authorisation_status, authorisation_updated_at,
        authorisation_expires_at, signed_by)
      select 'pisp-v4.0',
        id, 'consent-' || id, kind, family, 'tpp', 'ann', debtor, status,
        ${createdAt}, ${createdAt}, signatories, case when signatories > 1 then 1 end,
        case when signatories > 1 then 'AWAF' end,
        case when signatories > 1 then ${createdAt}::timestamptz end, expires_at,
        case when signatories > 1 then array['ann'] else '{}' end
      from given returning order_id
    )
    insert into payment (payment_id, order_id, sequence, status, created_at, status_updated_at,
      debtor_account_id, amount_minor, currency, creditor, end_to_end_id, reference, execute_at,
      due_at)
    select id || '-1', o.order_id, 1, status, ${createdAt}, ${createdAt}, debtor, amount, 'GBP',
      creditor::json, 'e2e-' || id, 'reference', execute_at, due_at
    from given join stored o on o.order_id = id`);
  });
}

export type OrderState = {
  status: string;
  reason: { code: string; text: string }[];
  paymentStatus: string;
  reasonCode: string | null;
  dueAt: Temporal.Instant | null;
  leaseOwner: string | null;
  attempt: number;
  authorisation: string | null;
  received: number | null;
};

/** Loads the state of an order and its payment. */
export async function orderState(database: Database, orderId: string): Promise<OrderState> {
  const [row] = await database.query<OrderState>(sql`
    select o.status, o.status_reason as reason, p.status as "paymentStatus",
      p.status_reason_code as "reasonCode", p.due_at as "dueAt", p.lease_owner as "leaseOwner",
      p.attempt, o.authorisation_status as authorisation, o.signatories_received as received
    from payment_order o join payment p using (order_id) where o.order_id = ${orderId}`);
  if (!row) throw new Error(`no order ${orderId}`);
  return row;
}
