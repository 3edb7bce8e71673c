import { type AskedFactor, endedBody, endedTitle, factorParts } from "./asked-factor.ts";
import type { SummaryRow } from "./consent-summary.ts";
import { html } from "./html.ts";
import { type Choice, problem } from "./journey-parts.ts";
import { confirmingRow } from "./login.ts";
import { back, type OwnFrame, ownForm, ownPage } from "./own-frame.ts";

/** The words of the page on which a customer confirms an act: a question, and its two answers. */
export type ConfirmTexts = {
  /** `Cancel this standing order?` */
  title: string;
  /** `Yes, cancel it` */
  go: string;
  /** `Keep it` */
  leave: string;
};

/** The contents of the page on which a customer confirms an act. */
type ConfirmPage = OwnFrame & {
  texts: ConfirmTexts;
  /** The facts that the customer confirms. */
  confirming: SummaryRow[];
  error: string | null;
  asked: AskedFactor;
  /** For a page that asks again by itself: the address of the page that does not. */
  checksUntil: string | null;
};

/**
 * The second factor for one act of a logged-in customer. Posts `code` if it asks for one, and
 * `decision`: continue, cancel, renew or code. Source: SCA-RTS article 5(1).
 */
export function confirmPage(page: ConfirmPage): string {
  const { texts, confirming, error, checksUntil } = page;
  const parts = factorParts(page.asked, page.bankName);
  const leave: Choice = { value: "cancel", text: texts.leave, skipsChecks: true };
  if (parts.ended !== null) {
    const body = endedBody(parts.ended, ownForm(page, page.path, html``, [leave]));
    return ownPage(page, { title: endedTitle, error: null, body });
  }
  const go = parts.go({ value: "continue", text: texts.go });
  const decisions = go ? [go, leave] : [leave];
  const beside = { others: parts.others, checksUntil };
  const body = html`
<h1>${texts.title}</h1>
<p class="lead">Nothing has been done yet. Check what is below, then ${parts.toDo}.</p>
<section class="card linked" aria-label="You are confirming">
<dl class="rows">
${confirming.map(confirmingRow)}</dl>
<p class="label">${parts.only}</p></section>
${problem(error)}
${ownForm(page, page.path, parts.fields(error), decisions, beside)}
<p class="privacy">${parts.privacy}</p>
${parts.panel}
${back}`;
  return ownPage(page, { title: texts.title, error, body, head: parts.head });
}
