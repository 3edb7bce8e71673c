import { html } from "./html.ts";
import { choices, type Frame, hiddenFields, limits, problem } from "./journey-parts.ts";
import { layout } from "./layout.ts";

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
