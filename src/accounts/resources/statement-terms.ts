import Big from "big.js";
import type { StoredStatement } from "./statements.ts";

const leastMinor = 500n;

/**
 * What the holder of a card must pay of what is owed, in minor units: 2.5%, or £5 where that is
 * more, and never more than is owed; nothing for other accounts.
 */
export function minimumPayment({
  accountSubType,
  closing,
}: Pick<StoredStatement, "accountSubType" | "closing">): bigint {
  const owed = -BigInt(closing);
  if (accountSubType !== "CreditCard" || owed <= 0n) return 0n;
  const share = (owed * 25n + 999n) / 1000n;
  const wanted = share > leastMinor ? share : leastMinor;
  return wanted < owed ? wanted : owed;
}

const daysToPay = 24;

/** When the minimum payment must be there: RFC 3339, UTC. */
export const paymentDueAt = ({ endsAt }: Pick<StoredStatement, "endsAt">): string =>
  Temporal.Instant.from(endsAt)
    .add({ hours: 24 * daysToPay })
    .toString();

/** A month's rate of a yearly one, in percent with four decimals at most. */
export const monthlyRate = (yearly: string): string => new Big(yearly).div(12).round(4).toString();

/** The days that a statement covers, as a customer reads them: `1 to 31 October 2026`. */
export function namePeriod({ startsAt, endsAt }: Pick<StoredStatement, "startsAt" | "endsAt">) {
  const day = (text: string) => Temporal.Instant.from(text).toZonedDateTimeISO("UTC").toPlainDate();
  const last = day(endsAt).subtract({ days: 1 });
  const month = last.toLocaleString("en-GB", { month: "long", year: "numeric" });
  return `${day(startsAt).day} to ${last.day} ${month}`;
}
