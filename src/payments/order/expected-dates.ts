import type { Consent } from "#src/consents/consent.ts";
import { type CutOffKind, cutOffOf, isAfterCutOff } from "#src/payments/calendar/cut-off.ts";
import { settlementInstant } from "#src/payments/calendar/domestic-instruments.ts";
import { executionInstant } from "#src/payments/calendar/execution-instant.ts";
import { hasCome, type Timing } from "#src/payments/calendar/timing.ts";
import { holidaysOf } from "#src/payments/calendar/working-days.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import type { ExpectedDates } from "./payment-order.ts";

/** The expected dates of a payment that is executed at that instant by its local instrument. */
export function expectedDates(
  execution: Temporal.Instant,
  { localInstrument }: Pick<PaymentRequest, "localInstrument">,
  config: PaymentConfig,
): ExpectedDates {
  return {
    execution,
    settlement: settlementInstant(localInstrument, execution, holidaysOf(config)),
  };
}

/**
 * The expected dates of a consent that has not been used; null if it cannot be used any more. They
 * are counted from its last step, and move if a cut-off passes meanwhile.
 */
export function expectedDatesOfConsent(
  kind: CutOffKind & { timing: Timing; givesExpectedDates: boolean },
  consent: Consent,
  request: PaymentRequest,
  now: Temporal.Instant,
  config: PaymentConfig,
): ExpectedDates | null {
  if (!kind.givesExpectedDates) return null;
  if (consent.status !== "AWAU" && consent.status !== "AUTH") return null;
  const plan = (from: Temporal.Instant): Temporal.Instant =>
    executionInstant(kind, request, from, config) ?? from;
  const planned = plan(consent.authorisedAt ?? consent.createdAt);
  const cutOff = cutOffOf(kind, config);
  const missed = cutOff.strategy === "accept" && isAfterCutOff(now, cutOff);
  return expectedDates(missed && hasCome(planned, now) ? plan(now) : planned, request, config);
}
