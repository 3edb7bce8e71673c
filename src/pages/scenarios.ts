import { type Html, html, withCode } from "./html.ts";
import { layout } from "./layout.ts";

/** One scenario. */
export type ScenarioEntry = {
  name: string;
  /** The members of the request with their values, ready to be copied. */
  send: { label: string; value: string }[];
  /** Text in backquotes is shown as code. */
  description: string;
  /** The member of the response, and its values in order; the last one is final. */
  outcome: { label: string; values: string[] };
};

/** The contents of the page at `/docs/scenarios`. */
export type ScenariosPage = {
  bankName: string;
  /** Scenarios of one network or operation each: a heading, a sentence, and the entries. */
  groups: { title: string; text: string; entries: ScenarioEntry[] }[];
  /** The effect of a payment's outcome on its order, per kind. */
  orders: { title: string; text: string }[];
};

/** The page that lists the scenarios of a sandbox and how to trigger them. */
export const scenariosPage = ({ bankName, groups, orders }: ScenariosPage): string =>
  layout({
    bankName,
    title: "Scenarios",
    width: "wide",
    corner: html`<nav class="corner" aria-label="Pages"><a href="/">Home</a>
<a href="/docs">Documentation</a></nav>`,
    body: html`<h1>Scenarios</h1>
<p class="lead">The payee, the amount, the reference or the customer decides what becomes of a
payment, whatever its kind. Any other payment succeeds. The answer
to a question about funds depends on the amount and on the state of the account, as shown. Each
change of an account or a consent causes the event shown.</p>
${groups.map(group)}
<section aria-labelledby="orders"><h2 id="orders">What it means for the order</h2>
<dl class="rows card">
${orders.map(({ title, text }) => html`<div><dt>${title}</dt><dd>${withCode(text)}</dd></div>\n`)}
</dl></section>`,
  });

const group = ({ title, text, entries }: ScenariosPage["groups"][number], index: number): Html =>
  html`<section aria-labelledby="group-${index}"><h2 id="group-${index}">${title}</h2>
<p>${withCode(text)}</p>
<ul class="card lines scenarios">
${entries.map(entry)}</ul></section>
`;

const entry = ({ name, send, description, outcome }: ScenarioEntry): Html =>
  html`<li><div><b>${name}</b><br>
<small>${withCode(description)}</small></div>
<div class="outcome">${send.map(
    ({ label, value }) => html`<p><small>${label}</small> <code>${value}</code></p>\n`,
  )}
<p><small>${outcome.label}</small> ${outcome.values.map(
    (value, index) =>
      html`${index === 0 ? null : html` <small>then</small> `}<code>${value}</code>`,
  )}</p></div></li>
`;
