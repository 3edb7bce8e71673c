import { countOf } from "#src/lib/plain-text.ts";
import { type Html, html } from "./html.ts";
import { type Beside, type Choice, choices, limits } from "./journey-parts.ts";
import { layout, type Page } from "./layout.ts";

/** The common parts of the bank's own pages. */
export type OwnFrame = {
  bankName: string;
  csrf: string;
  /** The message about the last act, shown once; null if there is none. */
  message: string | null;
  /** The path of this page. Opening it again counts as activity. */
  path: string;
  /** The minutes until the session ends, whatever the customer does; null if that is not soon. */
  lastMinutes: number | null;
};

/** The minutes without activity after which a customer is logged out. */
export const idleMinutes = 5;

/** Renders a page of a logged-in customer: the way out, the time limit, the last act's message. */
export function ownPage(frame: OwnFrame, page: Omit<Page, "bankName" | "corner">) {
  const body = html`${timeLimit(frame)}
${frame.message && html`<div class="notice done" role="status"><p>${frame.message}</p></div>`}
${page.body}`;
  return layout({ ...page, bankName: frame.bankName, corner: logout(frame), body });
}

/** Logs the customer out; is in a page's corner. */
const logout = ({ csrf }: OwnFrame): Html => html`<form class="corner" method="post"
 action="/bank/logout"><input type="hidden" name="csrf" value="${csrf}">
<button class="link-button">Log out</button></form>`;

/** When the session ends, and how to stay. Source: WCAG 2.2 criterion 2.2.1. */
function timeLimit({ path, lastMinutes }: OwnFrame): Html {
  if (lastMinutes !== null) {
    const soon =
      lastMinutes < 1 ? "in less than a minute" : `in ${countOf(lastMinutes, "minute", "minutes")}`;
    return html`<p class="limit">We’ll log you out ${soon}, because you have been logged in for
almost an hour. You can then log in again.</p>`;
  }
  return html`<p class="limit">We’ll log you out after ${idleMinutes} minutes without activity.
<a href="${path}">Stay logged in</a></p>`;
}

/** A form of a logged-in customer: fields, a button for each choice, and what comes after them. */
export function ownForm(
  page: OwnFrame,
  action: string,
  fields: Html,
  given: Choice[],
  beside: Beside = {},
): Html {
  return html`<form method="post" action="${action}" autocomplete="off">
<input type="hidden" name="csrf" value="${page.csrf}">
${fields}
${choices(given)}
${limits(beside)}
</form>`;
}

/** The button of a page that decides nothing, because the customer confirms on the next one. */
export const goOn = (value: string): Choice => ({ value, text: "Continue" });

/** What such a page says of the next one. */
export const confirmedNext = "You confirm it on the next page.";

/** The way back to the first page. */
export const back = html`<p class="privacy"><a href="/bank">Back to your accounts</a></p>`;

/** The page after a login that the customer has cancelled: it goes on to the bank's own website. */
export function cancelledLoginPage(page: { bankName: string; homeUrl: string }): string {
  const { bankName, homeUrl } = page;
  const body = html`
<h1>You have not logged in</h1>
<p><a class="button" href="${homeUrl}">Continue to ${bankName}</a></p>`;
  const head = html`<meta http-equiv="refresh" content="0; url=${homeUrl}">`;
  return layout({ bankName, title: "You have not logged in", body, head });
}
