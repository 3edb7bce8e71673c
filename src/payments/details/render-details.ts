import { exposeDetailStatus } from "#src/payments/order/order-states.ts";
import type { Wire } from "#src/payments/wires/wire.ts";
import type { StatusVocabulary } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import type { PaymentDetail } from "./load-payment-details.ts";

/** The body of payment-details: one entry per payment, whose id never changes. */
export const renderDetails = (
  wire: Wire,
  payments: readonly PaymentDetail[],
  self: string,
  vocabulary: StatusVocabulary,
): object => ({
  Data: { PaymentStatus: payments.map((payment) => renderOne(wire, payment, vocabulary)) },
  Links: { Self: self },
  Meta: {},
});

/** The same, written while the payments are loaded: an order may have a hundred thousand. */
export async function* writeDetails(
  wire: Wire,
  pages: AsyncIterable<readonly PaymentDetail[]>,
  self: string,
  vocabulary: StatusVocabulary,
): AsyncGenerator<Uint8Array> {
  let before = '{"Data":{"PaymentStatus":[';
  for await (const page of pages) {
    const items = page.map((payment) => JSON.stringify(renderOne(wire, payment, vocabulary)));
    yield Buffer.from(before + items.join(","));
    before = ",";
  }
  yield Buffer.from(`]},"Links":${JSON.stringify({ Self: self })},"Meta":{}}`);
}

const renderOne = (wire: Wire, payment: PaymentDetail, vocabulary: StatusVocabulary): object =>
  wire.renderDetail(payment, exposeDetailStatus(wire.statuses, payment.status, vocabulary));
