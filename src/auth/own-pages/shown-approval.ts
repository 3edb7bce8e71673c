// What the page of a payment that awaits a further signature has shown. Its form repeats it, so
// that the evidence has what the customer has read: the core's price may have moved since.

import { confirmedDetails } from "#src/auth/login/confirming.ts";
import { canonicalJson, hmacSha256, isSameText } from "#src/lib/hash.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import type { WaitingApproval } from "./own-payments.ts";

/** What the form repeats: the price that its page has shown, and when. */
type Repeated = { at: string; price: SummaryRow[] };

/** For whom a form is made: its session's token, and the secret that signs it. */
type FormOf = { cookieSecret: string; csrf: string };

const contentOf = (found: WaitingApproval, price: readonly SummaryRow[]) => {
  const { askedBy, clientName, from } = found;
  return { askedBy, clientName, summary: found.summaryAt(price), from };
};

/** Signs a price together with the session, the order, and all else that its page shows. */
const signed = ({ cookieSecret, csrf }: FormOf, found: WaitingApproval, text: string): string => {
  const rest = { orderId: found.orderId, ...contentOf(found, []) };
  return hmacSha256(cookieSecret)(canonicalJson({ for: "approval", csrf, rest, text }));
};

/** What the page shows now, and the value that its form repeats. */
export function showApproval(form: FormOf, found: WaitingApproval, now: Temporal.Instant) {
  const repeated: Repeated = { at: now.toString(), price: found.price };
  const text = Buffer.from(JSON.stringify(repeated)).toString("base64url");
  const field = `${text}.${signed(form, found, text)}`;
  return { shown: contentOf(found, found.price), field };
}

/**
 * What the page has shown whose form has this value. Null if anything has changed since, except a
 * price that only the time of payment fixes: it may move at any time.
 */
export function shownBefore(form: FormOf, found: WaitingApproval, field: string) {
  const [text = "", signature = ""] = field.split(".");
  if (!isSameText(signature, signed(form, found, text))) return null;
  const { at, price } = JSON.parse(Buffer.from(text, "base64url").toString()) as Repeated;
  const shown = contentOf(found, price);
  const confirmed = [shown, found].map(({ summary }) => canonicalJson(confirmedDetails(summary)));
  if (confirmed[0] !== confirmed[1]) return null;
  return { shown, at: Temporal.Instant.from(at) };
}
