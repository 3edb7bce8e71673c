import type { Consent } from "#src/consents/consent.ts";
import { shownStatus } from "#src/consents/shown-status.ts";
import type { ConsentTerms } from "#src/consents/terms.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import type { PaymentDetail } from "#src/payments/details/load-payment-details.ts";
import type { OrderWithConsent } from "#src/payments/order/load-order.ts";
import type { ExpectedDates, PaymentOrder } from "#src/payments/order/payment-order.ts";
import { reasonsOf } from "#src/payments/order/status-reasons.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { renderStatusReason } from "#src/standard/shared/v4/status-reason.ts";
import { renderAccount, renderCharges } from "./render-parts.ts";
import { type ConsentExtras, type FundsAnswer, type ShownStatus, shownOrder } from "./wire.ts";

/** The id, the times and the status of a consent, as in every response with a consent. */
export const consentStanding = (consent: Consent): object => ({
  ...shownStatus(pispV40.consents, consent),
  StatusReason: consent.statusReason.map(renderStatusReason),
});

/** The ids, the times and the status of an order, as in every response with an order. */
export const orderStanding = (order: OrderWithConsent, shown: ShownStatus): object => ({
  ...shownOrder(order, shown),
  StatusReason: reasonsOf(shown.status, order.statusReason).map(renderStatusReason),
});

/** Renders a consent: exactly what was sent, and the bank's additions. */
export function renderConsent(
  consent: Consent,
  { debtor, expected }: ConsentExtras,
  self: string,
): object {
  const { Risk } = consent.body;
  const { cutOff } = consent.terms;
  return {
    Data: {
      ...consentStanding(consent),
      ...(cutOff ? { CutOffDateTime: formatInstant(cutOff) } : {}),
      ...renderExpected(expected),
      Charges: renderCharges(consent.terms.charges),
      ...renderRate(consent.terms),
      ...consent.body.Data,
      ...(debtor ? { Debtor: renderAccount(debtor) } : {}),
    },
    ...(Risk === undefined ? {} : { Risk }),
    Links: { Self: self },
    Meta: {},
  };
}

/** P-129: an order repeats the exchange rate of its consent. */
function renderRate({ exchangeRate }: ConsentTerms): object {
  if (exchangeRate === undefined) return {};
  const { unitCurrency, value, type, contractId, expiresAt } = exchangeRate;
  return {
    ExchangeRateInformation: {
      UnitCurrency: unitCurrency,
      ExchangeRate: value,
      RateType: type,
      ...(contractId === null ? {} : { ContractIdentification: contractId }),
      ...(expiresAt === null ? {} : { ExpirationDateTime: formatInstant(expiresAt) }),
    },
  };
}

const renderExpected = (expected: ExpectedDates | null = null): object =>
  expected === null
    ? {}
    : {
        ExpectedExecutionDateTime: formatInstant(expected.execution),
        ExpectedSettlementDateTime: formatInstant(expected.settlement),
      };

/** Renders an order, which repeats the consent's initiation. */
export function renderOrder(order: OrderWithConsent, shown: ShownStatus, self: string): object {
  const { debtor, refund } = order.terms;
  return {
    Data: {
      ...orderStanding(order, shown),
      ...renderExpected(order.terms.expected),
      ...(refund ? { Refund: { Account: renderAccount(refund) } } : {}),
      Charges: renderCharges(order.consentTerms.charges),
      ...renderRate(order.consentTerms),
      Initiation: order.consentBody.Data.Initiation,
      ...shown.own?.Data,
      ...renderMultiAuthorisation(order),
      Debtor: renderAccount(debtor),
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

/** Renders an entry of payment-details. */
export function renderDetail(payment: PaymentDetail, status: string): object {
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

/** Renders the response to a funds confirmation. */
export const renderFunds = ({ available, now, self }: FundsAnswer): object => ({
  Data: {
    FundsAvailableResult: { FundsAvailableDateTime: formatInstant(now), FundsAvailable: available },
  },
  Links: { Self: self },
  Meta: {},
});
