import { assetUrl } from "./assets.ts";
import { type Html, html } from "./html.ts";

const scriptUrl = assetUrl("passkey.js");
const script = html`<script src="${scriptUrl}" defer></script>`;

/** The script with which a page asks the browser for a passkey. */
export const passkeyScript = (): Html => script;

/** Whether a page asks for a passkey, so that its policy must allow our script. */
export const asksForPasskey = (page: string): boolean => page.includes(script.text);

/**
 * The field that our script fills in before the form is sent: with what a passkey has signed
 * (`get`), or with a new passkey (`create`). `options` are those of WebAuthn, as JSON.
 */
export const passkeyField = (name: string, call: "get" | "create", options: object): Html => html`
<input type="hidden" name="${name}" value="" data-passkey="${call}"
 data-options="${JSON.stringify(options)}">
<div class="notice problem" role="alert" hidden data-passkey-problem>
<p>We did not get your passkey. Try again.</p></div>
<noscript><div class="notice"><p>Your browser runs no scripts, so it cannot ask for a
passkey.</p></div></noscript>`;
