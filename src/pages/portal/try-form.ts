import { type Html, html } from "#src/pages/html.ts";
import type { ShownOperation } from "./api-document.ts";
import type { Block } from "./blocks.ts";

// Set by the sandbox for each call it sends.
const setHeaders = ["authorization", "x-jws-signature", "x-idempotency-key", "content-type"];

/** The form that sends a call. It is hidden until the script shows it. */
export function tryForm(operation: ShownOperation, sample: object | null): Block {
  const { id, method, path, parameters, needsCustomer } = operation;
  const inputs = parameters.filter(
    ({ name, in: place }) => place !== "header" || !setHeaders.includes(name.toLowerCase()),
  );
  return {
    is: "form",
    html: html`<form class="try" hidden data-method="${method}" data-path="${path}">
<h3>Try it</h3>
<div class="inputs">
${needsCustomer && field(`${id}-consent`, "consentId", "ConsentId (approved for you)", "consent")}
${inputs.map((each) => field(`${id}-${each.name}`, each.name, each.name, each.in))}</div>
${
  sample &&
  html`<label for="${id}-body">Body</label>
<textarea id="${id}-body" name="body" rows="10" spellcheck="false">${JSON.stringify(
    sample,
    null,
    2,
  )}</textarea>`
}
<p><button class="button">Send</button></p>
<div class="result" aria-live="polite"></div>
</form>\n`,
  };
}

const field = (id: string, name: string, label: string, place: string): Html =>
  html`<div class="field"><label for="${id}">${label} <small>${place}</small></label>
<input id="${id}" name="${name}" data-in="${place}" autocomplete="off" spellcheck="false"></div>
`;

/** The choice of the TPP that sends the calls of a page. Hidden until the script shows it. */
export const profileForm = (profiles: readonly { id: string; title: string }[]): Html =>
  html`<form class="profile" hidden><label for="profile">Try calls as a TPP of</label>
<select id="profile" name="profile">${profiles.map(
    ({ id, title }) => html`<option value="${id}">${title}</option>`,
  )}</select></form>`;
