import type { SummaryRow } from "./consent-summary.ts";
import { html } from "./html.ts";
import { type Choice, codeField, codePanel, problem } from "./journey-parts.ts";
import { confirmingRow, sentText } from "./login.ts";
import { back, type OwnFrame, ownForm, ownPage } from "./own-frame.ts";

/** The words of the page on which a code confirms an act: a question, and its two answers. */
export type ConfirmTexts = {
  /** `Cancel this standing order?` */
  title: string;
  /** `Yes, cancel it` */
  go: string;
  /** `Keep it` */
  leave: string;
};

/** The contents of the page on which a code confirms an act. */
type ConfirmPage = OwnFrame & {
  texts: ConfirmTexts;
  /** The facts that the code confirms. */
  confirming: SummaryRow[];
  error: string | null;
  /** Where the code was sent, after "your"; null if that is not known. */
  sentTo: string | null;
  /** The code of the challenge, in a sandbox; null elsewhere. */
  sandboxCode: string | null;
};

/**
 * The second factor for one act of a logged-in customer. Posts `code` and `decision`: continue,
 * cancel or renew. Source: SCA-RTS article 5(1).
 */
export function confirmPage(page: ConfirmPage): string {
  const { texts, confirming, error } = page;
  const decisions: Choice[] = [
    { value: "continue", text: texts.go },
    { value: "cancel", text: texts.leave, skipsChecks: true },
  ];
  const body = html`
<h1>${texts.title}</h1>
<p class="lead">Nothing has been done yet. Check what is below, then enter the code that we have
sent ${sentText(page.sentTo)}.</p>
<section class="card linked" aria-label="The code is for this">
<dl class="rows">
${confirming.map(confirmingRow)}</dl>
<p class="label">The code works only for what is shown here.</p></section>
${problem(error)}
${ownForm(page, page.path, codeField(error), decisions, { canRenew: true })}
<p class="privacy">We will never ask you for this code by phone, email or text message.</p>
${codePanel(page.sandboxCode)}
${back}`;
  return ownPage(page, { title: texts.title, error, body });
}
