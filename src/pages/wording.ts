import { formatAmount } from "#src/lib/money.ts";

/** An amount as customers read it: `£1,249.50`, `−£310.22`; minor units may be negative. */
export function moneyText(amountMinor: bigint, currency: string): string {
  const size = formatAmount(amountMinor < 0n ? -amountMinor : amountMinor, currency);
  const format = new Intl.NumberFormat("en-GB", {
    style: "currency",
    currency,
    minimumFractionDigits: size.split(".")[1]?.length ?? 0,
  });
  // text keeps every digit, which a number would not; the types know numerals only
  const text = format.format(size as Intl.StringNumericLiteral);
  return amountMinor < 0n ? `−${text}` : text;
}

/** `20201010981789` as `20-20-10 10981789`; other text stays as it is. */
export const sortCodeText = (identification: string): string =>
  identification.replace(/^(\d\d)(\d\d)(\d\d)(\d{8})$/, "$1-$2-$3 $4");

/** An IBAN in groups of four. */
export const ibanText = (iban: string): string =>
  iban.replaceAll(" ", "").replace(/(.{4})(?=.)/g, "$1 ");

/** The number of an account as customers read it, whatever scheme it is of. */
export function accountNumberText(schemeName: string, identification: string): string {
  if (schemeName === "UK.OBIE.SortCodeAccountNumber") return sortCodeText(identification);
  return schemeName === "UK.OBIE.IBAN" ? ibanText(identification) : identification;
}

const london = "Europe/London";

/** `3 March 2027`, on London's calendar. */
export const dateText = (instant: Temporal.Instant): string =>
  instant.toZonedDateTimeISO(london).toLocaleString("en-GB", { dateStyle: "long" });

/** What is said of an account that is not open: `closed`, `blocked`; null of one that is. */
export function notOpenText(status: "Enabled" | "Disabled" | "Deleted"): string | null {
  if (status === "Enabled") return null;
  return status === "Disabled" ? "blocked" : "closed";
}
