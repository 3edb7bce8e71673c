import { html } from "./html.ts";
import { lockedTitle } from "./journey-endings.ts";
import { layout } from "./layout.ts";
import { back, type OwnFrame, ownPage } from "./own-frame.ts";

/** What a customer reads who has to wait before the next try. */
type Locked = {
  /** How the customer was asked. */
  method: Parameters<typeof lockedTitle>[0];
  /** `06:27`: when the next try is possible. */
  until: string;
  /** Why, and when to try again. */
  text: string;
};

/** The page of a login that is locked: it asks for nothing, and leads to a new login. */
export function lockedLoginPage(page: Locked & { bankName: string; loginUrl: string }): string {
  const title = lockedTitle(page.method, page.until);
  const body = html`
<h1>${title}</h1>
<p class="lead">${page.text}</p>
<p><a class="button" href="${page.loginUrl}">Back to the login</a></p>`;
  return layout({ bankName: page.bankName, title, body });
}

/** The page of an act that cannot be confirmed now: it asks for nothing. */
export function lockedActPage(page: OwnFrame & Locked): string {
  const title = lockedTitle(page.method, page.until);
  const body = html`
<h1>${title}</h1>
<p class="lead">${page.text} Nothing has been done.</p>
${back}`;
  return ownPage(page, { title, body });
}
