import { type Html, html } from "./html.ts";
import { problem } from "./journey-parts.ts";
import { layout } from "./layout.ts";
import { developerLinks } from "./requests.ts";

/** The paths of the pages of a sandbox's customers and of its TPPs. */
export const [customersPath, tppsPath] = ["/sandbox/customers", "/sandbox/tpps"] as const;

type TermRow = readonly [term: string, value: string];

type Person = {
  /** A login or a client id, with which forms name it. */
  id: string;
  name: string;
  about: readonly TermRow[];
  /** More lines below a title, which opens them; none if there are none. */
  folded?: { title: string; rows: readonly TermRow[] };
  /** Whether it can be deleted. */
  canDelete: boolean;
};

/** What is said at the top of a page. */
type Said = {
  /** What has been done, or null. */
  done: string | null;
  /** Why nothing was done, or null. */
  error: string | null;
  /** The one whose deletion is to be confirmed, or null. */
  deleting: Person | null;
};

/** The contents of the page of customers. */
type CustomersPage = Said & {
  bankName: string;
  customers: readonly Person[];
  /** The JSON in the form. */
  text: string;
  /** Whether the form asks to move the dates. */
  shift: boolean;
};

/** The contents of the page of TPPs. */
type TppsPage = Said & {
  bankName: string;
  tpps: readonly Person[];
  roles: readonly string[];
  /** The TPP that was just made, as JSON with its keys, or null. */
  made: string | null;
};

/** The page of a sandbox's customers. Its forms post `act`, `id`, `text` and `shift`. */
export const customersPage = (page: CustomersPage): string =>
  layout({
    bankName: page.bankName,
    title: "Customers",
    error: page.error,
    width: "wide",
    corner: developerLinks,
    body: html`<h1>Customers</h1>
<p class="lead">Who can log in to this bank and approve what TPPs ask for. Any of them can
<a href="/bank">log in to online banking</a>.</p>
${said(page)}
${confirmation(customersPath, page.deleting, "The consents and orders end, and the accounts close.")}
<section class="card linked" aria-labelledby="new"><h2 id="new">Add a customer</h2>
<form method="post" action="${customersPath}" autocomplete="off">
<div class="field"><label for="text">Customer, as JSON</label>
<p class="hint" id="text-hint">Export one and change it, or write one by the
<a href="/sandbox/v1/schemas/customer">JSON schema</a>. The password is the login with
<code>-sandbox</code> behind it.</p>
<textarea id="text" name="text" rows="12" required spellcheck="false" autocapitalize="none"
 aria-describedby="text-hint">${"\n"}${page.text}</textarea></div>
<div class="field"><p class="hint" id="shift-hint">The bank refuses transactions in the future and
scheduled payments in the past. For an older export, let the bank move all dates by the days since
<code>asOf</code>, the time of the export. Direct debits and standing orders are then due on another
day of the month.</p>
<p><label><input type="checkbox" name="shift" value="true" aria-describedby="shift-hint"
${page.shift ? " checked" : ""}> Move all dates to the bank’s time</label></p></div>
<div class="choices"><button class="button" name="act" value="add">Add the customer</button></div>
</form></section>
${page.customers.map((one) => card(customersPath, one))}`,
  });

/** The page of a sandbox's TPPs. Its forms post `act`, `id`, `name`, `role` and `redirectUri`. */
export const tppsPage = (page: TppsPage): string =>
  layout({
    bankName: page.bankName,
    title: "TPPs",
    error: page.error,
    width: "wide",
    corner: developerLinks,
    body: html`<h1>TPPs</h1>
<p class="lead">The clients that are registered at this bank, the newest first.</p>
${said(page)}
${
  page.made &&
  html`<section class="card" aria-labelledby="made"><h2 id="made">Its keys and certificates</h2>
<p>Keep them now: the bank does not show private keys again.</p>
<pre tabindex="0" aria-labelledby="made">${page.made}</pre></section>`
}
${confirmation(tppsPath, page.deleting, "Its tokens, its access and its registration for events end. Its orders stay.")}
<section class="card linked" aria-labelledby="new"><h2 id="new">Add a TPP</h2>
<form method="post" action="${tppsPath}" autocomplete="off">
${field("name", "Name", "The name that customers see: 1 to 70 characters.")}
${field("redirectUri", "Redirect URI", "Where customers return: https, or http on loopback.")}
<fieldset class="field"><legend>Roles</legend>${page.roles.map(
      (role) => html`<p><label><input type="checkbox" name="role" value="${role}" checked>
${role}</label></p>
`,
    )}</fieldset>
<div class="choices"><button class="button" name="act" value="add">Add the TPP</button></div>
</form></section>
${page.tpps.map((one) => card(tppsPath, one))}`,
  });

const said = ({ done, error }: Said): Html => html`${problem(error)}
${done && html`<div class="notice done" role="status"><p>${done}</p></div>`}`;

const field = (name: string, label: string, hint: string): Html => html`<div class="field">
<label for="${name}">${label}</label><p class="hint" id="${name}-hint">${hint}</p>
<input type="text" id="${name}" name="${name}" required aria-describedby="${name}-hint"
 spellcheck="false"></div>
`;

/** A name that nobody else on the page has. */
const distinct = ({ id, name }: Pick<Person, "id" | "name">): string => `${name} (${id})`;

const card = (
  path: string,
  { id, name, about, folded, canDelete }: Person,
): Html => html`<section class="card linked" aria-label="${distinct({ id, name })}">
<h2>${name}</h2>
${list(about)}
${
  folded &&
  folded.rows.length > 0 &&
  html`<details><summary>${folded.title}</summary>${list(folded.rows)}</details>`
}
${
  canDelete &&
  html`<p class="deletion"><a href="${path}?${new URLSearchParams({ delete: id }).toString()}"
 aria-label="Delete: ${distinct({ id, name })}">Delete …</a></p>`
}</section>
`;

const list = (rows: readonly TermRow[]): Html =>
  html`<dl class="rows">${rows.map(
    ([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>\n`,
  )}</dl>`;

const confirmation = (path: string, one: Person | null, means: string): Html | null =>
  one &&
  html`<section class="card" aria-labelledby="deleting">
<h2 id="deleting">Delete ${one.name}?</h2>
${list(one.about.slice(0, 1))}
<p>${means} This cannot be undone.</p>
<form method="post" action="${path}"><input type="hidden" name="id" value="${one.id}">
<div class="choices"><button class="button" name="act" value="delete">Delete ${one.name}</button>
<a href="${path}">Keep</a></div></form></section>`;
