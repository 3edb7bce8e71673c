import { type Html, html } from "./html.ts";
import { type Choice, faulty, problem, row } from "./journey-parts.ts";
import { back, confirmedNext, goOn, type OwnFrame, ownForm, ownPage } from "./own-frame.ts";
import { passkeyField, passkeyScript } from "./passkey.ts";

/** One passkey, for its customer. */
export type ShownPasskey = {
  id: string;
  name: string;
  /** `Added on 29 November 2026`. */
  added: string;
  /** `Last used on 30 November 2026`, or that it was never used. */
  used: string;
  /** Whether it may be copied to the customer's other devices. */
  isSynced: boolean;
};

/** The characters of the longest name of a passkey. */
export const longestName = 40;

/** The contents of the page of passkeys; `hasRoom` says whether the customer can add one more. */
type PasskeysPage = OwnFrame & { passkeys: ShownPasskey[]; hasRoom: boolean };

/** A customer's passkeys. */
export function passkeysPage(page: PasskeysPage): string {
  const { passkeys, hasRoom } = page;
  const none = html`<p>You haven’t added any passkeys.</p>`;
  const body = html`
<h1>Passkeys</h1>
<p class="lead">With a passkey, you confirm with your fingerprint, your face or your device’s
PIN.</p>
<section aria-labelledby="yours"><h2 id="yours">Your passkeys</h2>
${passkeys.length === 0 ? none : html`<ul class="lines card">\n${passkeys.map(passkeyLine)}</ul>`}
</section>
${
  hasRoom
    ? html`<p class="links"><a class="plain-button" href="/bank/passkeys/new">Add a passkey</a></p>`
    : html`<p>You have as many passkeys as you can. To add another one, remove one first.</p>`
}
${back}`;
  return ownPage(page, { title: "Passkeys", width: "wide", body });
}

/** Asks for the name of a new passkey. Posts `name`, and `decision`: continue or cancel. */
export function namePasskeyPage(page: OwnFrame & { error: string | null }): string {
  const { error } = page;
  const field = html`
<div class="field"><label for="name">A name for it</label>
<p class="hint" id="name-hint">So that you know which device it is on, such as My phone.</p>
<input id="name" name="name" required maxlength="${String(longestName)}"
${faulty(error, "name-hint")} autofocus></div>`;
  const body = html`
<h1>Add a passkey</h1>
${problem(error)}
${ownForm(page, "/bank/passkeys/new", field, [goOn("continue"), leave])}
${back}`;
  return ownPage(page, { title: "Add a passkey", error, body });
}

const leave: Choice = { value: "cancel", text: "Cancel", skipsChecks: true };

const passkeyLine = ({ id, name, added, used, isSynced }: ShownPasskey): Html => html`<li>
<span><b>${name}</b><br><small>${added}. ${used}.<br>${
  isSynced ? "It may be copied to your other devices" : "It stays on one device"
}.</small></span>
<a class="plain-button" href="/bank/passkeys/${id}">Remove<span class="unseen"> the passkey
${name}</span></a></li>
`;

/** The contents of the page that asks the browser for a new passkey. */
type AddPasskeyPage = OwnFrame & {
  id: string;
  name: string;
  creation: object;
  error: string | null;
};

/** Makes a passkey. Posts `passkey`, which our script fills in, and `decision`: add or cancel. */
export function addPasskeyPage(page: AddPasskeyPage): string {
  const { id, name, creation, error } = page;
  const decisions = [{ value: "add", text: "Make the passkey" }, leave];
  const body = html`
<h1>Make your passkey</h1>
<p class="lead">When you go on, your device will ask you to make the passkey <b>${name}</b>. Only do
this on a device of your own.</p>
${problem(error)}
${ownForm(page, `/bank/passkeys/${id}/add`, passkeyField("passkey", "create", creation), decisions)}
${back}`;
  return ownPage(page, { title: "Make your passkey", error, body, head: passkeyScript() });
}

/** The contents of the page that asks for confirmation. */
type RemovePasskeyPage = OwnFrame & { passkey: ShownPasskey };

/** A passkey to be removed. Posts `decision`: remove, which another page asks about, or keep. */
export function removePasskeyPage(page: RemovePasskeyPage): string {
  const { id, name, added, used } = page.passkey;
  const title = "Remove a passkey";
  const body = html`
<h1>${title}</h1>
<p class="lead">If you remove it, we will no longer accept it. Your device may go on showing it
until you delete it there too. ${confirmedNext}</p>
<dl class="rows card">
${row("Passkey", html`<b>${name}</b>`)}
${row("Use", `${added}. ${used}.`)}
</dl>
${ownForm(page, `/bank/passkeys/${id}`, html``, [
  goOn("remove"),
  { value: "keep", text: "Keep passkey" },
])}
${back}`;
  return ownPage(page, { title, body });
}
