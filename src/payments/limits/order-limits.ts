import type { StatusReason } from "#src/consents/consent.ts";
import { assert, present } from "#src/lib/assert.ts";
import { formatAmount } from "#src/lib/money.ts";
import { type Day, isoDay, toDay } from "#src/payments/calendar/day.ts";
import { bankDay } from "#src/payments/calendar/timing.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import { aboveLimit, type RequestFault } from "#src/payments/request/checks.ts";
import type {
  PaymentRequest,
  RequestedLimits,
  RequestedUse,
} from "#src/payments/request/payment-request.ts";
import {
  anchorOf,
  type LimitWindow,
  type PeriodAlignment,
  type PeriodicLimit,
  type PeriodType,
  periodAlignments,
  periodTypes,
  standingOn,
  type Validity,
  windowsOf,
} from "./periods.ts";

// How a consent pays several times within limits. When a TPP creates it, consent-checks.ts checks
// the limits, and contracts.ts whether the TPP has the contract that some limits need. When an
// order arrives, this file checks the limits for a single order and lists the windows of the limits
// for a period (periods.ts). The database function `take_limits` checks the sums in
// these windows, in the transaction that creates the order. usage.ts reads the sums for pages, and
// verify-limits.ts checks them.

/** Returns the dates on which a consent may be used, as written. Times and offsets are ignored. */
export const validityOf = ({
  validFrom,
  validTo,
}: Pick<RequestedLimits, "validFrom" | "validTo">): Validity => ({
  from: validFrom && toDay(validFrom.local),
  to: validTo && toDay(validTo.local),
});

/** Reads a periodic limit of a consent that has passed the checks. */
export function periodicLimit({
  type,
  alignment,
  amount,
}: RequestedLimits["periods"][number]): PeriodicLimit {
  assert(
    periodTypes.some((known) => known === type),
    "a checked period",
  );
  assert(
    periodAlignments.some((known) => known === alignment),
    "a checked alignment",
  );
  return {
    type: type as PeriodType,
    alignment: alignment as PeriodAlignment,
    amountMinor: present(amount.money, "a checked limit").amountMinor,
  };
}

/** Lists the limits of a consent for an order that is accepted today, each with its window. */
export function limitWindows(
  limits: RequestedLimits,
  { createdAt, today }: { createdAt: Temporal.Instant; today: Day },
): LimitWindow[] {
  const anchor = anchorOf(validityOf(limits), bankDay(createdAt));
  return windowsOf(limits.periods.map(periodicLimit), { anchor, date: today });
}

/**
 * Checks an order against those limits of its consent that do not depend on earlier orders. An
 * order is at fault if the consent is not valid yet, if the consent does not allow its type,
 * authentication or interaction, or if its amount is too large. Source: V-098, V-108…V-111, V-113,
 * V-119.
 */
export function checkLimits(
  { single, uses, ...limits }: RequestedLimits,
  { amount, use }: Pick<PaymentRequest, "amount" | "use">,
  today: Day,
): RequestFault[] {
  const validity = validityOf(limits);
  if (validity.from !== null && standingOn(validity, today) === "too early") {
    const message = `The consent cannot be used before ${isoDay(validity.from)}.`;
    return [{ code: "U014", member: "limits.validFrom", message }];
  }
  const faults = use ? checkUse(uses, use) : [];
  if (faults.length > 0) return faults;
  const most = present(single?.money, "a checked maximum");
  const asked = present(amount?.money, "a checked amount");
  if (asked.currency !== most.currency) {
    const message = `The currency must be ${most.currency}, the currency of the consent's limits.`;
    return [{ code: "U023", member: "amount.currency", message }];
  }
  if (asked.amountMinor <= most.amountMinor) return [];
  const text = `${formatAmount(most.amountMinor, most.currency)} ${most.currency}`;
  const message = `A single payment under this consent may be at most ${text}.`;
  return [{ code: "U014", member: "limits.single", message }];
}

/**
 * Checks that the consent allows the type, the authentication and the interaction of an order. A
 * value that the order or the consent does not name is not checked. Source: V-108…V-111.
 */
const checkUse = (allowed: RequestedLimits["uses"], use: RequestedUse): RequestFault[] =>
  (["type", "authentication", "interaction"] as const).flatMap((member): RequestFault[] => {
    const [given, agreed] = [use[member], allowed[member]];
    if (given === null || agreed === null || agreed.includes(given)) return [];
    const message = `The value must be one that the consent allows: ${agreed.join(", ")}.`;
    return [{ code: "U014", member: `use.${member}`, message }];
  });

/**
 * Lists the faults of an order that exceeds the limits at these positions in its consent. Source:
 * V-115, V-116.
 */
export const exceededFaults = (
  { periods }: Pick<RequestedLimits, "periods">,
  positions: readonly number[],
): RequestFault[] =>
  positions.map((position) => {
    const { type } = present(periods[position], "an exceeded limit");
    const message =
      `The amount is larger than the amount left in the limit of this period (${type}). ` +
      "Send a smaller amount, or wait for the next period.";
    return { code: "U014", member: "limits.periods", position, message };
  });

/**
 * Returns the reason why the bank rejects an order that its consent allows: the amount is above the
 * bank's own limit, which the TPP cannot know. Returns null if the bank accepts the order. Source:
 * V-126.
 */
export function rejectionOf(
  { amount }: Pick<PaymentRequest, "amount">,
  { PAYMENT_LIMIT }: Pick<PaymentConfig, "PAYMENT_LIMIT">,
): StatusReason | null {
  const { amountMinor, currency } = present(amount?.money, "a checked amount");
  const limit = BigInt(PAYMENT_LIMIT);
  if (amountMinor <= limit) return null;
  return { code: "AM14", text: aboveLimit(limit, currency) };
}
