import { type Html, html } from "./html.ts";
import { problem } from "./journey-parts.ts";

/** The path to which the buttons of acts are sent. */
export const actsPath = "/sandbox/acts";

type Field = {
  name: string;
  hint: string;
  isRequired: boolean;
  value: string;
  /** The values that it can have; null if it can have any text. */
  options: readonly string[] | null;
};

/** What can be done to an object of the sandbox. */
export type ActForms = {
  /** `payment`, `consent`, `account` or `customer`. */
  on: string;
  id: string;
  acts: readonly {
    act: string;
    label: string;
    summary: string;
    fields: readonly Field[];
  }[];
  /** What an act has done, or why it was refused; null if nothing was asked for. */
  said: { text: string; isRefusal: boolean } | null;
};

/** The buttons of an object, as a part of a page. */
export const actForms = ({ on, id, acts, said }: ActForms): Html => html`<section
 aria-labelledby="acts"><h2 id="acts">Do something to this ${on}</h2>
${
  said &&
  (said.isRefusal
    ? problem(said.text)
    : html`<div class="notice done" role="status"><p>${said.text}</p></div>`)
}
<ul class="card lines">
${acts.map(
  ({ act, label, summary, fields }) => html`<li><div><b>${label}</b><br><small>${summary}</small>
</div><form method="post" action="${actsPath}" autocomplete="off">
<input type="hidden" name="id" value="${id}"><input type="hidden" name="act" value="${act}">
${fields.map((field) => input(act, field))}
<button class="button">${label}</button></form></li>
`,
)}</ul></section>`;

const input = (act: string, { name, hint, isRequired, value, options }: Field): Html => {
  const id = `${act}-${name}`;
  const names = html`id="${id}" name="${name}"${hint && html` aria-describedby="${id}-hint"`}`;
  return html`<div class="field"><label for="${id}">${name}</label>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${
  options === null
    ? html`<input ${names} value="${value}"${isRequired && html` required`}>`
    : html`<select ${names}>${value === "" && html`<option value="">the default</option>`}
${options.map((one) => html`<option${one === value && html` selected`}>${one}</option>`)}</select>`
}</div>
`;
};
