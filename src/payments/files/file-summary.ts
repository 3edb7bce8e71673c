import type { Consent, FileTerms } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import type { PaymentSummary } from "#src/pages/consent-summary.ts";
import { dateText, moneyText } from "#src/pages/wording.ts";
import { textAt } from "#src/payments/json-path.ts";
import { bankDate } from "#src/payments/timing.ts";

/** `3 payments in one file`. */
export const countText = ({ count }: Pick<FileTerms, "count">): string =>
  count === 1 ? "1 payment in a file" : `${count.toLocaleString("en-GB")} payments in one file`;

/** What a file comes to altogether. */
export const totalText = ({ totalMinor, currency }: FileTerms): string =>
  moneyText(BigInt(totalMinor), currency);

/**
 * What a customer is shown of a file in place of a payee: how many payments, and the file's
 * fingerprint, so that what is authorised is this file and no other. Source: SCA-RTS article 5.
 */
export function summariseFile({
  body,
  terms,
}: Pick<Consent, "body" | "terms">): Pick<
  PaymentSummary,
  "type" | "noun" | "amount" | "payeeName" | "payeeAccount"
> {
  const file = present(terms.file, "the file of a consent that waits for its customer");
  const hash = textAt(body, "Data.Initiation.FileHash") ?? "";
  return {
    type: "payment",
    noun: "file of payments",
    amount: totalText(file),
    payeeName: countText(file),
    payeeAccount: `File fingerprint ${hash}`,
  };
}

/** The rows of a file: its reference, and when its payments are made. */
export function fileRows({ body, terms }: Pick<Consent, "body" | "terms">): PaymentSummary["rows"] {
  const file = present(terms.file, "the file of a consent that waits for its customer");
  const reference = textAt(body, "Data.Initiation.FileReference") ?? file.messageId;
  return [
    ...(reference === null ? [] : [{ label: "File reference", value: reference }]),
    { label: "Payment date", value: daysText(file, textAt(body, requestedDay)) },
  ];
}

/** Until when a file can be cancelled: as a whole, while all of it lies ahead. */
export function fileNotes(
  { body, terms }: Pick<Consent, "body" | "terms">,
  now: Temporal.Instant,
): string[] {
  const file = present(terms.file, "the file of a consent that waits for its customer");
  const first = file.firstDay ?? textAt(body, requestedDay);
  if (first === undefined || !isAhead(first, now)) return [];
  return [
    dayText(file.lastDay ?? first) === dayText(first)
      ? "The money leaves your account on that day. You can cancel here until then."
      : "You can cancel all of it here until the first of these days.",
  ];
}

const isAhead = (day: string, now: Temporal.Instant): boolean =>
  Temporal.PlainDate.compare(Temporal.PlainDate.from(day.slice(0, 10)), bankDate(now)) > 0;

const requestedDay = "Data.Initiation.RequestedExecutionDateTime";

// The days that payments ask for themselves, with the file's own for those that ask for none.
function daysText({ firstDay, lastDay }: FileTerms, ofFile: string | undefined): string {
  const first = firstDay === null ? ofFile : firstDay;
  const start = first === undefined ? "Today, at once" : dayText(first);
  if (lastDay === null || dayText(lastDay) === start) return start;
  return first === undefined
    ? `From today to ${dayText(lastDay)}`
    : `From ${start} to ${dayText(lastDay)}`;
}

const dayText = (day: string): string => {
  try {
    return dateText(Temporal.Instant.from(day));
  } catch {
    // a date without a zone, which the customer reads as it is
    return Temporal.PlainDate.from(day.slice(0, 10)).toLocaleString("en-GB", { dateStyle: "long" });
  }
};
