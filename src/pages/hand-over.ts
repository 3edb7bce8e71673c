import type { SummaryRow } from "./consent-summary.ts";
import { html } from "./html.ts";
import { choices, type Frame, hiddenFields, limits, notes, problem } from "./journey-parts.ts";
import { layout } from "./layout.ts";
import { confirmingRow } from "./login.ts";
import type { ConfirmTexts } from "./own-confirm.ts";
import { back, type OwnFrame, ownForm, ownPage } from "./own-frame.ts";

/** The page after a login at the bank's own provider that did not succeed. */
export function handOverPage(page: Frame & { error: string | null }): string {
  const { bankName, clientName, action, error } = page;
  const title = "Log in";
  const body = html`
<h1>${title}</h1>
<p class="lead"><b>${clientName}</b> has sent you here. Log in the way you always do with
${bankName}.</p>
${problem(error)}
<p><a class="button" href="${action}">Log in</a></p>
<form method="post" action="${action}">
${hiddenFields(page)}
${choices([{ value: "cancel", text: "Cancel" }])}
${limits(page)}
</form>`;
  return layout({ bankName, title, error, body });
}

/** The login to the bank's own pages, which leads to the bank's own provider. */
export function loginTherePage(page: {
  bankName: string;
  /** Where the login begins. */
  action: string;
  notice: string | null;
  error: string | null;
}): string {
  const { bankName, action, notice, error } = page;
  const title = "Online banking";
  const body = html`
<h1>${title}</h1>
<p class="lead">Log in the way you always do with ${bankName}.</p>
${notice && notes([notice])}
${problem(error)}
<p><a class="button" href="${action}">Log in</a></p>`;
  return layout({ bankName, title, error, body });
}

/** The page of an act that the customer confirms at the bank's own provider. */
export function confirmTherePage(
  page: OwnFrame & {
    texts: ConfirmTexts;
    /** The facts that the customer confirms. */
    confirming: SummaryRow[];
    error: string | null;
  },
): string {
  const { texts, confirming, error, bankName } = page;
  const body = html`
<h1>${texts.title}</h1>
<p class="lead">Nothing has been done yet. Check what is below, then confirm it where you log in to
${bankName}.</p>
<section class="card linked" aria-label="You are confirming">
<dl class="rows">
${confirming.map(confirmingRow)}</dl></section>
${problem(error)}
<p><a class="button" href="${page.path}/there">Continue</a></p>
${ownForm(page, page.path, html``, [{ value: "cancel", text: texts.leave, skipsChecks: true }])}
${back}`;
  return ownPage(page, { title: texts.title, error, body });
}

/**
 * The page that brings the customer back from the bank's provider to the bank's own pages: a
 * browser sends their cookie only with requests that such a page has made.
 */
export function cameBackPage(page: { bankName: string; url: string }): string {
  const { bankName, url } = page;
  const title = "Back to your accounts";
  const body = html`
<h1>${title}</h1>
<p><a class="button" href="${url}">Continue</a></p>`;
  const head = html`<meta http-equiv="refresh" content="0; url=${url}">`;
  return layout({ bankName, title, body, head });
}
