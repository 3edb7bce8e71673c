import type { Consent, ConsentTerms } from "#src/consents/consent.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { cutOffOf, isAfterCutOff } from "#src/payments/calendar/cut-off.ts";
import { settlementInstant } from "#src/payments/calendar/domestic-instruments.ts";
import { executionInstant } from "#src/payments/calendar/execution-instant.ts";
import { hasCome } from "#src/payments/calendar/timing.ts";
import { holidaysOf } from "#src/payments/calendar/working-days.ts";
import type { PaymentConfig } from "#src/payments/deps.ts";
import type { PaymentDetail } from "#src/payments/details/load-payment-details.ts";
import {
  type Account,
  type Initiation,
  initiationOf,
  type PaymentKind,
} from "#src/payments/kinds/payment-kind.ts";
import type { OrderWithConsent } from "./load-order.ts";
import { exposeDetailStatus, exposeStatus } from "./order-states.ts";
import type { OrderTerms, PaymentOrder } from "./payment-order.ts";
import { reasonsOf } from "./status-reasons.ts";

type Vocabulary = PaymentConfig["STATUS_VOCABULARY"];

/** When a payment is expected to be executed and settled, as RFC 3339. */
export type ExpectedDates = Pick<
  OrderTerms,
  "expectedExecutionDateTime" | "expectedSettlementDateTime"
>;

/** The expected dates of a payment that is executed at that instant by its local instrument. */
export function expectedDates(
  execution: Temporal.Instant,
  { LocalInstrument }: Pick<Initiation, "LocalInstrument">,
  config: PaymentConfig,
): ExpectedDates {
  const settlement = settlementInstant(LocalInstrument, execution, holidaysOf(config));
  return {
    expectedExecutionDateTime: formatInstant(execution),
    expectedSettlementDateTime: formatInstant(settlement),
  };
}

/**
 * The expected dates of a consent that is not used yet; null when it cannot be any more. They count
 * from its last step, and move on when a cut-off passes meanwhile. Source: digest 2.8.
 */
export function expectedDatesOfConsent(
  kind: PaymentKind,
  consent: Consent,
  now: Temporal.Instant,
  config: PaymentConfig,
): ExpectedDates | null {
  if (!kind.givesExpectedDates) return null;
  if (consent.status !== "AWAU" && consent.status !== "AUTH") return null;
  const initiation = initiationOf(consent.body);
  const plan = (from: Temporal.Instant): Temporal.Instant =>
    executionInstant(kind, initiation, from, config) ?? from;
  const planned = plan(consent.authorisedAt ?? consent.createdAt);
  const cutOff = cutOffOf(kind, config);
  const missed = cutOff.strategy === "accept" && isAfterCutOff(now, cutOff);
  return expectedDates(missed && hasCome(planned, now) ? plan(now) : planned, initiation, config);
}

/** The debtor and the dates that a consent shows beside what the TPP sent. */
export type ConsentExtras = { debtor: Partial<Account> | null; expected: ExpectedDates | null };

/** The body of a consent: what was sent, exactly, with what the bank has added. */
export function renderConsent(
  consent: Consent,
  { debtor, expected }: ConsentExtras,
  self: string,
): object {
  const { Risk } = consent.body;
  return {
    Data: {
      ConsentId: consent.consentId,
      CreationDateTime: formatInstant(consent.createdAt),
      Status: consent.status,
      StatusUpdateDateTime: formatInstant(consent.statusUpdatedAt),
      StatusReason: consent.statusReason,
      ...(consent.terms.cutOffDateTime ? { CutOffDateTime: consent.terms.cutOffDateTime } : {}),
      ...renderExpected(expected),
      Charges: consent.terms.charges ?? [],
      ...renderRate(consent.terms),
      ...consent.body.Data,
      ...(debtor ? { Debtor: debtor } : {}),
    },
    ...(Risk === undefined ? {} : { Risk }),
    Links: { Self: self },
    Meta: {},
  };
}

/** P-129: an order repeats the rate of its consent. */
const renderRate = ({ exchangeRate }: ConsentTerms): object =>
  exchangeRate === undefined ? {} : { ExchangeRateInformation: exchangeRate };

const renderExpected = (expected: ExpectedDates | null): object =>
  expected?.expectedExecutionDateTime === undefined
    ? {}
    : {
        ExpectedExecutionDateTime: expected.expectedExecutionDateTime,
        ExpectedSettlementDateTime: expected.expectedSettlementDateTime,
      };

/** The body of an order, in the given vocabulary; it repeats the consent's initiation. */
export function renderOrder(
  kind: PaymentKind,
  order: OrderWithConsent,
  self: string,
  vocabulary: Vocabulary,
): object {
  const status = exposeStatus(kind.id, order.status, vocabulary);
  return {
    Data: {
      [kind.orderIdField]: order.orderId,
      ConsentId: order.consentId,
      CreationDateTime: formatInstant(order.createdAt),
      Status: status,
      StatusUpdateDateTime: formatInstant(order.statusUpdatedAt),
      StatusReason: reasonsOf(status, order.statusReason),
      ...renderExpected(order.terms),
      ...(order.terms.refund ? { Refund: order.terms.refund } : {}),
      Charges: order.consentTerms.charges ?? [],
      ...renderRate(order.consentTerms),
      Initiation: order.consentBody.Data.Initiation,
      ...renderMultiAuthorisation(order),
      Debtor: order.terms.debtor,
    },
    Links: { Self: self },
    Meta: {},
  };
}

function renderMultiAuthorisation(order: PaymentOrder): object {
  if (order.authorisationStatus === null) return {};
  const { authorisationUpdatedAt, authorisationExpiresAt } = order;
  return {
    MultiAuthorisation: {
      Status: order.authorisationStatus,
      NumberRequired: order.signatoriesRequired,
      NumberReceived: order.signatoriesReceived,
      ...(authorisationUpdatedAt
        ? { LastUpdateDateTime: formatInstant(authorisationUpdatedAt) }
        : {}),
      ...(authorisationExpiresAt
        ? { ExpirationDateTime: formatInstant(authorisationExpiresAt) }
        : {}),
    },
  };
}

/** The body of payment-details: one entry a payment, whose id never changes. Source: digest 2.5. */
export const renderDetails = (
  kind: PaymentKind,
  payments: readonly PaymentDetail[],
  self: string,
  vocabulary: Vocabulary,
): object => ({
  Data: { PaymentStatus: payments.map((payment) => renderDetail(kind, payment, vocabulary)) },
  Links: { Self: self },
  Meta: {},
});

/** The same, written while the payments are loaded: an order may have a hundred thousand. */
export async function* writeDetails(
  kind: PaymentKind,
  pages: AsyncIterable<readonly PaymentDetail[]>,
  self: string,
  vocabulary: Vocabulary,
): AsyncGenerator<Uint8Array> {
  let before = '{"Data":{"PaymentStatus":[';
  for await (const page of pages) {
    const items = page.map((payment) => JSON.stringify(renderDetail(kind, payment, vocabulary)));
    yield Buffer.from(before + items.join(","));
    before = ",";
  }
  yield Buffer.from(`]},"Links":${JSON.stringify({ Self: self })},"Meta":{}}`);
}

function renderDetail(kind: PaymentKind, payment: PaymentDetail, vocabulary: Vocabulary): object {
  const status = exposeDetailStatus(kind.id, payment.status, vocabulary);
  return {
    PaymentTransactionId: payment.paymentId,
    Status: status,
    StatusUpdateDateTime: formatInstant(payment.statusUpdatedAt),
    StatusDetail: {
      ...(payment.localInstrument ? { LocalInstrument: payment.localInstrument } : {}),
      Status: status,
      ...(payment.reasonCode ? { StatusReason: payment.reasonCode } : {}),
      ...(payment.reasonText ? { StatusReasonDescription: payment.reasonText.slice(0, 256) } : {}),
    },
  };
}

/** The answer of funds-confirmation. */
export const renderFunds = (available: boolean, now: Temporal.Instant, self: string): object => ({
  Data: {
    FundsAvailableResult: { FundsAvailableDateTime: formatInstant(now), FundsAvailable: available },
  },
  Links: { Self: self },
  Meta: {},
});
