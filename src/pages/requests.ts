import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";

/** A line of the log of requests. */
export type RequestLine = {
  logId: string;
  at: string;
  milliseconds: number;
  interactionId: string;
  method: string;
  path: string;
  operation: string | null;
  status: number;
  codes: readonly string[];
  clientId: string | null;
  consentId: string | null;
  resourceId: string | null;
  /** What the sandbox played on the client, or null. */
  played?: { name: string; text: string } | null;
};

/** The path of the page that lists the requests. */
export const requestsPath = "/sandbox/requests";

/** The path of the page that judges what is pasted. */
export const judgePath = "/sandbox/judge";

/** The links at the top of the sandbox's pages for developers. */
export const developerLinks = html`<nav class="corner" aria-label="Pages">
<a href="/">Home</a>
<a href="${requestsPath}">Requests</a>
<a href="/sandbox/explanations">Ask it why</a>
<a href="${judgePath}">Judge</a>
<a href="/sandbox/robust">Robust?</a>
<a href="/docs">Documentation</a></nav>`;

/** The contents of the page that lists the requests. */
type RequestsPage = {
  bankName: string;
  /** The filter as it was sent. */
  filter: Readonly<Record<string, string>>;
  /** The field of the filter that is wrong, and why; null if the filter can be read. */
  fault: { parameter: string; message: string } | null;
  requests: readonly RequestLine[];
  /** What `before` needs for the next requests; null if there are no more. */
  next: string | null;
};

/** Whether the page has a field for a parameter of the filter. */
export const hasField = (parameter: string): boolean =>
  filters.some(([name]) => name === parameter);

const filters: [name: string, label: string, hint: string][] = [
  ["interactionId", "Interaction id", "x-fapi-interaction-id"],
  ["status", "Status", "404, or 4xx"],
  ["code", "Code", "U015, jwtExpired"],
  ["path", "Path contains", "/pisp/"],
  ["client", "Client", "client_id"],
  ["consent", "Consent", "ConsentId"],
  ["order", "Order or resource", "DomesticPaymentId"],
  ["since", "Since", "2026-11-24T09:00:00Z"],
];

/** The page that lists the requests of TPPs. */
export const requestsPage = (page: RequestsPage): string =>
  layout({
    bankName: page.bankName,
    title: "Requests",
    error: page.fault?.message ?? null,
    width: "wide",
    corner: developerLinks,
    body: html`<h1>Requests</h1>
<p class="lead">Every request of a TPP to the APIs, the token endpoint and the registration, the
newest first. Open one to see what was sent, what was checked and what to do next.</p>
${
  page.fault &&
  html`<div class="notice problem" role="alert" id="fault"><p>${page.fault.message}</p></div>`
}
${filterForm(page)}
${
  page.requests.length === 0
    ? html`<p>${
        isFiltered(page) ? "No request fits. Change the filter, or send a request." : nothingYet
      }</p>`
    : html`<ul class="card lines requests">
${page.requests.map(line)}</ul>`
}
${page.next && html`<p><a href="${olderThan(page, page.next)}">Older requests</a></p>`}`,
  });

const nothingYet = "No TPP has sent a request yet. Send one, then open this page again.";

const isFiltered = ({ filter }: RequestsPage): boolean =>
  filters.some(([name]) => (filter[name] ?? "") !== "");

function olderThan({ filter }: RequestsPage, before: string): string {
  const given = Object.entries(filter).filter(([, value]) => value !== "");
  return `${requestsPath}?${new URLSearchParams({ ...Object.fromEntries(given), before })}`;
}

const filterForm = (page: RequestsPage): Html => html`<details class="card filters"${
  isFiltered(page) || page.fault ? html` open` : null
}>
<summary>Filter</summary>
<form method="get" action="${requestsPath}" autocomplete="off">
<div class="fields">
${filters.map(
  ([name, label, hint]) => html`<div class="field"><label for="${name}">${label}</label>
<p class="hint" id="${name}-hint">${hint}</p>
<input id="${name}" name="${name}" value="${page.filter[name] ?? ""}" spellcheck="false"
 aria-describedby="${page.fault?.parameter === name ? "fault " : null}${name}-hint"${
   page.fault?.parameter === name ? html` aria-invalid="true" autofocus` : null
 }></div>
`,
)}</div>
<p><button class="button">Show</button>
${isFiltered(page) && html`<a href="${requestsPath}">Show all</a>`}</p></form></details>`;

/** The address of the page about one request. */
export const requestUrl = (logId: string): string => `${requestsPath}/${encodeURIComponent(logId)}`;

/** A status as a mark whose colour says whether the request was refused. */
export const statusMark = (status: number): Html =>
  html`<span class="mark ${status >= 400 ? "refused" : "served"}">${status}</span>`;

const line = (one: RequestLine): Html => html`<li><div>
<a href="${requestUrl(one.logId)}"><b>${one.method}</b> ${one.path}</a><br>
<small>${shortTime(one.at)} · ${one.clientId ?? "unknown caller"} ·
${one.milliseconds} ms</small></div>
<div>${one.played && html`<span class="mark open">played ${one.played.name}</span> `}
${statusMark(one.status)} ${one.codes.map((code) => html`<code>${code}</code> `)}</div></li>
`;

/** A time without its date's zone: `2026-11-24 09:00:00.120`. */
export const shortTime = (at: string): string => at.replace("T", " ").replace("Z", "");
