import { type OperationReply, type OperationRequest, OutgoingFile } from "#src/http/operation.ts";
import {
  orderParameter,
  ownOrder,
  type PaymentDeps,
  type ServedKind,
} from "#src/payments/definitions/payment-kind.ts";
import type { Format } from "#src/payments/formats/format.ts";
import {
  detailsPageSize,
  loadOrderOwner,
  loadPaymentDetails,
  type PaymentDetail,
} from "#src/payments/order/load-payment-details.ts";
import { exposeDetailStatus } from "#src/payments/order/order-states.ts";
import { paramOf } from "#src/payments/request/refusals.ts";
import type { Queryable } from "#src/storage/database.ts";

// How payment-details is answered: the order's owner and its first payments are loaded together
// (load-payment-details.ts), and the format renders each payment. Long lists are written while
// further payments are loaded.

/** Answers payment-details: one entry per payment, however many an order has. */
export async function readDetails(
  kind: ServedKind,
  { database }: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const orderId = paramOf(request, orderParameter(kind));
  const [order, payments] = await Promise.all([
    loadOrderOwner(database, orderId),
    loadPaymentDetails(database, orderId, 0),
  ]);
  ownOrder(kind, order, request);
  const self = `${request.baseUrl}/${kind.id}s/${orderId}/payment-details`;
  if (payments.length < detailsPageSize) {
    return { status: 200, body: renderDetails(kind.format, payments, self) };
  }
  const pages = readDetailPages(database, orderId, payments);
  const written = writeDetails(kind.format, pages, self);
  return { status: 200, body: new OutgoingFile("application/json; charset=utf-8", written) };
}

async function* readDetailPages(
  on: Queryable,
  orderId: string,
  first: readonly PaymentDetail[],
): AsyncGenerator<readonly PaymentDetail[]> {
  let page = first;
  while (page.length > 0) {
    yield page;
    const last = page.at(-1)?.sequence;
    if (page.length < detailsPageSize || last === undefined) return;
    page = await loadPaymentDetails(on, orderId, last);
  }
}

/** The body of payment-details: one entry per payment, whose id never changes. */
const renderDetails = (
  format: Format,
  payments: readonly PaymentDetail[],
  self: string,
): object => ({
  Data: { PaymentStatus: payments.map((payment) => renderOne(format, payment)) },
  Links: { Self: self },
  Meta: {},
});

/** The same, written while the payments are loaded: an order may have a hundred thousand. */
async function* writeDetails(
  format: Format,
  pages: AsyncIterable<readonly PaymentDetail[]>,
  self: string,
): AsyncGenerator<Uint8Array> {
  let before = '{"Data":{"PaymentStatus":[';
  for await (const page of pages) {
    const items = page.map((payment) => JSON.stringify(renderOne(format, payment)));
    yield Buffer.from(before + items.join(","));
    before = ",";
  }
  yield Buffer.from(`]},"Links":${JSON.stringify({ Self: self })},"Meta":{}}`);
}

const renderOne = (format: Format, payment: PaymentDetail): object =>
  format.renderDetail(payment, exposeDetailStatus(format.statuses, payment.status));
