import { tooManyDecimals } from "#src/lib/money.ts";
import { bankDay, isoDay } from "#src/payments/calendar/timing.ts";
import {
  type Check,
  type KindRules,
  notOffered,
  type RequestFault,
} from "#src/payments/request/checks.ts";
import type { RequestedAmount } from "#src/payments/request/payment-request.ts";
import { isOfScheme } from "#src/standard/shared/vrp-types.ts";
import { isPeriod, type PeriodAlignment, type PeriodType, validityOf } from "./order-limits.ts";

/**
 * V-021, V-022: a limit must be more than zero, in a currency that the bank offers, and must not
 * have too many decimals for that currency.
 */
export function amountFaults(
  { currencies }: Pick<KindRules, "currencies">,
  { currency, money, text }: RequestedAmount,
  at: (member: "text" | "currency") => Omit<RequestFault, "code" | "message">,
): RequestFault[] {
  if (currency === null || text === null) return [];
  if (currencies !== "exchanged" && !currencies.includes(currency)) {
    // V-022 has one code for every currency
    return [{ ...notOffered(currency, currencies), code: "U023", ...at("currency") }];
  }
  if (money === null) {
    return [{ code: "U002", ...at("text"), message: tooManyDecimals(currency) }];
  }
  if (money.amountMinor > 0n) return [];
  return [{ code: "U002", ...at("text"), message: "The amount must be more than zero." }];
}

const checkAmounts: Check = (checked) => {
  const { single = null, periods = [] } = checked.request.limits ?? {};
  return [
    ...(single
      ? amountFaults(checked.kind, single, (of) => ({ member: `limits.single.${of}` }))
      : []),
    ...periods.flatMap(({ amount }, position) =>
      amountFaults(checked.kind, amount, (of) => ({ member: `limits.periods.${of}`, position })),
    ),
  ];
};

/** V-016, V-019: the standard must define the period, and each period may have only one limit. */
const checkPeriods: Check = ({ request: { limits } }) =>
  (limits?.periods ?? []).flatMap(({ type, alignment }, position, periods): RequestFault[] => {
    const period = { type: type as PeriodType, alignment: alignment as PeriodAlignment };
    if (!isPeriod(period)) {
      const message = "PeriodAlignment must be Consent when PeriodType is Fortnight.";
      return [{ code: "U002", member: "limits.periods.alignment", position, message }];
    }
    if (periods.findIndex((other) => other.type === type) === position) return [];
    const message = `There must be only one limit per ${type}. Send only the lower one.`;
    return [{ code: "U002", member: "limits.periods.type", position, message }];
  });

/** V-026…V-031: a consent must not begin in the past, and must be valid on at least one day. */
const checkValidity: Check = ({ request: { limits }, now }) => {
  if (limits === null) return [];
  const { from, to } = validityOf(limits);
  const today = bankDay(now);
  const faults: RequestFault[] = [];
  if (from !== null && from < today) {
    const message = `The date must not be before today, ${isoDay(today)}.`;
    faults.push({ code: "U003", member: "limits.validFrom", message });
  }
  const first = from !== null && today < from ? from : today;
  if (to !== null && to < first) {
    const message = `The date must not be before ${isoDay(first)}, the first day of the consent.`;
    faults.push({ code: "U003", member: "limits.validTo", message });
  }
  return faults;
};

/** The checks of a consent's limits, for every kind of payment with limits. */
export const limitChecks: readonly Check[] = [checkAmounts, checkPeriods, checkValidity];

/**
 * CV-58: a consent of the commercial scheme has a payment context and an account type that the
 * scheme allows, if it has them at all. The scheme may change its lists, so they are settings.
 */
export const checkSchemeRisk: Check = ({ request: { limits }, config }) => {
  const type = limits?.uses.type?.find(isOfScheme);
  if (limits === null || type === undefined) return [];
  const { context, accountType } = limits.risk;
  const rows = [
    ["limits.risk.context", "payment context", context, config.VRP_SCHEME_CONTEXTS],
    ["limits.risk.accountType", "account type", accountType, config.VRP_SCHEME_ACCOUNT_TYPES],
  ] as const;
  return rows.flatMap(([member, word, value, setting]): RequestFault[] => {
    const allowed = setting.split(",").map((one) => one.trim());
    if (value === null || allowed.includes("any") || allowed.includes(value)) return [];
    const message = `${type} does not allow the ${word} ${value}. Send ${oneOf.format(allowed)}.`;
    return [{ code: "U002", member, message }];
  });
};

const oneOf = new Intl.ListFormat("en-GB", { type: "disjunction" });
