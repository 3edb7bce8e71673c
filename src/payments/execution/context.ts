import type {
  CustomerDevice,
  OrderingTpp,
  PaymentApproval,
  PaymentContext,
} from "#src/bank/payment-context.ts";
import type { PaymentInstruction } from "#src/bank/port.ts";
import { registeredTpp } from "#src/clients/client-name.ts";
import type { ConsentBody } from "#src/consents/consent.ts";
import { approvalBefore, consentFacts } from "#src/consents/consent-facts.ts";
import { present } from "#src/lib/assert.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

type Signature = { customerId: string; at: string; acr: string; amr: string[] };

type ContextRow = {
  paymentId: string;
  sequence: number;
  orderId: string;
  consentId: string;
  kind: KindId;
  signedBy: string[];
  /** Of those who signed after the first; null if nobody did. */
  signatures: Signature[] | null;
  body: ConsentBody;
  apiVersion: ApiVersionId;
  ordered: ConsentBody | null;
  consentDevice: CustomerDevice | null;
  orderDevice: CustomerDevice | null;
  entry: PaymentContext["entry"];
  /** What a file says about this payment and others; null if it says nothing of the kind. */
  shared: object[] | null;
  use: PaymentContext["use"];
  /** Null, like the next ones, for an order that the sandbox has made itself. */
  customerId: string | null;
  at: Temporal.Instant;
  acr: string;
  amr: string[];
} & OrderingTpp;

/** Adds to each payment who ordered it, who approved it, and all that the TPP said. */
export async function withContexts(
  on: Queryable,
  payments: readonly PaymentInstruction[],
): Promise<PaymentInstruction[]> {
  const ids = payments.map(({ paymentId }) => paymentId);
  const rows = await on.query<ContextRow>(sql`
    select p.payment_id as "paymentId", p.sequence, o.order_id as "orderId",
      o.consent_id as "consentId", o.kind, o.signed_by as "signedBy",
      ${howAllSigned} as signatures,
      c.body, c.api_version as "apiVersion", o.terms->'sent' as ordered,
      c.terms->'device' as "consentDevice", o.terms->'device' as "orderDevice",
      o.terms->'use' as use, e.entry, e.shared, a.*, t.*
    from payment p join payment_order o on o.order_id = p.order_id
      join ${consentFacts} c on c.consent_id = o.consent_id
      left join lateral (
        ${approvalBefore(sql`o.consent_id`, sql`o.created_at`)}
      ) a on true
      left join lateral (${fileEntry}) e on true
      cross join lateral (${registeredTpp(sql`o.client_id`)}) t
    where p.payment_id = any(${ids}::text[])`);
  const contexts = new Map(rows.map((row) => [row.paymentId, contextOf(row)]));
  return payments.map((payment) => ({
    ...payment,
    context: present(contexts.get(payment.paymentId), "the order of a payment"),
  }));
}

/**
 * How the signatories of the order `o` were authenticated. Their evidence stays in the database: it
 * is large, and every payment of a file would repeat it.
 */
const howAllSigned = sql`(
  select json_agg(json_build_object('customerId', s->'customerId', 'at', s->'at', 'acr', s->'acr',
    'amr', s->'amr')) from json_array_elements(o.signatures) s)`;

/** What the file says about the payment `p` of the order `o`, if that is of a file. */
const fileEntry = sql`
  select b.instructions->(p.sequence - b.first_sequence)->'said' as entry,
    (select json_agg(b.instructions->0->'shared'->shares.place::integer)
      from json_array_elements_text(b.instructions->(p.sequence - b.first_sequence)->'shares')
        as shares(place)) as shared
  from payment_file f join payment_file_batch b on b.file_id = f.file_id
  where f.consent_id = o.consent_id and b.first_sequence <= p.sequence
  order by b.first_sequence desc limit 1`;

function contextOf(row: ContextRow): PaymentContext {
  const { orderId, consentId, kind, sequence, apiVersion, body, ordered, entry, shared, use } = row;
  const { consentDevice, orderDevice } = row;
  return {
    orderId,
    consentId,
    kind,
    sequence,
    tpp: tppOf(row),
    approvedBy: approvalsOf(row),
    sent: {
      apiVersion,
      consent: body,
      order: ordered,
      devices: { consent: consentDevice, order: orderDevice },
    },
    entry: shared ? Object.assign({}, entry, ...shared) : entry,
    use,
  };
}

function tppOf(row: ContextRow): OrderingTpp {
  const { clientId, organisationId, organisationName } = row;
  const { softwareId, softwareName, onBehalfOf } = row;
  return { clientId, organisationId, organisationName, softwareId, softwareName, onBehalfOf };
}

function approvalsOf(row: ContextRow): PaymentApproval[] {
  const { customerId, at, acr, amr, signedBy, signatures } = row;
  const later = signedBy.filter((each) => each !== customerId);
  return [
    ...(customerId === null ? [] : [{ customerId, authentication: { at, acr, amr } }]),
    ...later.map((each) => ({ customerId: each, authentication: howSigned(signatures, each) })),
  ];
}

function howSigned(signatures: ContextRow["signatures"], signer: string) {
  const found = signatures?.find((one) => one.customerId === signer);
  if (!found) return null;
  const { at, acr, amr } = found;
  return { at: Temporal.Instant.from(at), acr, amr };
}
