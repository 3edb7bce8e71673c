import { type Html, html, withCode } from "./html.ts";
import { layout } from "./layout.ts";

/** One thing that can be made to happen. */
export type ScenarioEntry = {
  name: string;
  /** What to put into the request, by member; the values are ready to be copied. */
  send: { label: string; value: string }[];
  /** `code` in backquotes is shown as such. */
  description: string;
  /** The statuses that `payment-details` goes through, the last one being where it stays. */
  statuses: string[];
};

/** What the page at `/docs/scenarios` is made of. */
export type ScenariosPage = {
  bankName: string;
  /** Scenarios of one network each: a heading, a sentence, and the entries. */
  groups: { title: string; text: string; entries: ScenarioEntry[] }[];
  /** What the outcome of a payment means for the order that it belongs to, kind by kind. */
  orders: { title: string; text: string }[];
};

/** The page that lists what can be made to happen in a sandbox, and how. */
export const scenariosPage = ({ bankName, groups, orders }: ScenariosPage): string =>
  layout({
    bankName,
    title: "Scenarios",
    width: "wide",
    corner: html`<nav class="corner" aria-label="Pages"><a href="/">Home</a>
<a href="/docs">API reference</a></nav>`,
    body: html`<h1>Scenarios</h1>
<p class="lead">A payment to one of these payees always has the outcome shown, whatever its kind.
The payees are at other banks. A payment to any other payee outside this bank succeeds.</p>
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

const entry = ({ name, send, description, statuses }: ScenarioEntry): Html =>
  html`<li><div><b>${name}</b><br>
<small>${withCode(description)}</small></div>
<div class="outcome">${send.map(
    ({ label, value }) => html`<p><small>${label}</small> <code>${value}</code></p>\n`,
  )}
<p><small>Status</small> ${statuses.map(
    (status, index) =>
      html`${index === 0 ? null : html` <small>then</small> `}<code>${status}</code>`,
  )}</p></div></li>
`;
