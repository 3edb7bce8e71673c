import type { Format } from "#src/payments/formats/format.ts";
import { exposeDetailStatus } from "#src/payments/order/order-states.ts";
import type { PaymentDetail } from "./load-payment-details.ts";

/** The body of payment-details: one entry per payment, whose id never changes. */
export const renderDetails = (
  format: Format,
  payments: readonly PaymentDetail[],
  self: string,
): object => ({
  Data: { PaymentStatus: payments.map((payment) => renderOne(format, payment)) },
  Links: { Self: self },
  Meta: {},
});

/** The same, written while the payments are loaded: an order may have a hundred thousand. */
export async function* writeDetails(
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
