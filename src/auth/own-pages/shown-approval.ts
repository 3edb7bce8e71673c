// What the page of a payment that awaits a further signature has shown. Its form repeats it, so
// that the evidence has what the customer has read: the core's price may have moved since, and
// another release may say it in other words.

import { hmacSha256, isSameText } from "#src/lib/hash.ts";
import type { WaitingApproval } from "./own-payments.ts";

type Shown = Pick<WaitingApproval, "askedBy" | "clientName" | "summary" | "from">;

/** What the form repeats: what its page has shown, and when, and the hash of the facts. */
type Repeated = { at: string; shown: Shown; pageHash: string };

/** For whom a form is made: its session's token, and the secret that signs it. */
type FormOf = { cookieSecret: string; csrf: string };

/** Signs what a form repeats, for its session and its order. */
const signed = ({ cookieSecret, csrf }: FormOf, orderId: string, text: string): string =>
  hmacSha256(cookieSecret)(JSON.stringify(["approval", csrf, orderId, text]));

/** What the page shows now, and the value that its form repeats. */
export function showApproval(form: FormOf, found: WaitingApproval, now: Temporal.Instant) {
  const { orderId, askedBy, clientName, summary, from, pageHash } = found;
  const shown = { askedBy, clientName, summary, from };
  const repeated: Repeated = { at: now.toString(), shown, pageHash };
  const text = Buffer.from(JSON.stringify(repeated)).toString("base64url");
  return { shown, field: `${text}.${signed(form, orderId, text)}` };
}

/**
 * What the page has shown whose form has this value. Null if any fact has changed since, except a
 * price that only the time of payment fixes: it may move at any time.
 */
export function shownBefore(form: FormOf, { orderId, pageHash }: WaitingApproval, field: string) {
  const [text = "", signature = ""] = field.split(".");
  if (!isSameText(signature, signed(form, orderId, text))) return null;
  const before = JSON.parse(Buffer.from(text, "base64url").toString()) as Repeated;
  if (before.pageHash !== pageHash) return null;
  return { shown: before.shown, at: Temporal.Instant.from(before.at) };
}
