import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import { developerLinks, type RequestLine, requestUrl, shortTime, statusMark } from "./requests.ts";

type Headers = Readonly<Record<string, string>>;

/** The contents of the page about one request. */
type RequestPage = RequestLine & {
  bankName: string;
  bankTime: string;
  api: string | null;
  checks: readonly { name: string; result: string; milliseconds: number | null }[];
  idempotency: {
    key: string;
    isReplay: boolean;
    firstSeen: { logId: string; at: string; interactionId: string; status: number } | null;
  } | null;
  bodies: {
    query: string;
    requestHeaders: Headers;
    request: string | null;
    requestBytes: number;
    answerHeaders: Headers;
    answer: string | null;
    answerBytes: number;
  } | null;
  sameInteraction: readonly RequestLine[];
  linked: {
    consent: { consentId: string; kind: string; status: string } | null;
    order: { orderId: string; kind: string; status: string } | null;
    events: readonly { jti: string; occurredAt: string; state: string; types: string[] }[];
    ledger: readonly {
      at: string;
      purpose: string;
      debitAccountId: string;
      creditAccountId: string;
      amount: string;
      currency: string;
    }[];
  };
};

/** The page about one request; `explanation` stands before everything else. */
export const requestPage = (page: RequestPage, explanation: Html | null = null): string =>
  layout({
    bankName: page.bankName,
    title: `${page.method} ${page.path}`,
    width: "wide",
    corner: developerLinks,
    body: html`<h1 class="address">${page.method} ${page.path}</h1>
<p class="lead">${statusMark(page.status)}
${page.codes.map((code) => html`<code>${code}</code> `)} ${shortTime(page.at)},
${page.milliseconds} ms</p>
${explanation}
${facts(page)}
${checks(page)}
${linked(page)}
${messages(page)}
${others(page)}`,
  });

const row = (label: string, value: Html | string | null): Html | null =>
  value === null ? null : html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`;

const code = (text: string | null): Html | null =>
  text === null ? null : html`<code>${text}</code>`;

const facts = (page: RequestPage): Html => html`<dl class="rows card">
${row("Interaction id", code(page.interactionId))}
${row("Operation", page.operation && html`<code>${page.operation}</code> ${page.api}`)}
${row("Client", code(page.clientId))}
${row("Consent", code(page.consentId))}
${row("Resource", code(page.resourceId))}
${row("Played", page.played ? html`<code>${page.played.name}</code> ${page.played.text}` : null)}
${row("Bank’s time", shortTime(page.bankTime))}
${row("Idempotency", page.idempotency && idempotency(page.idempotency, page.logId))}
</dl>`;

function idempotency(
  { key, isReplay, firstSeen }: NonNullable<RequestPage["idempotency"]>,
  logId: string,
): Html {
  const said = isReplay
    ? "the answer repeats that of an earlier request with this key"
    : "the key was used for the first time, or with no success before";
  const first =
    firstSeen && firstSeen.logId !== logId
      ? html`; first seen at <a href="${requestUrl(firstSeen.logId)}">${shortTime(firstSeen.at)}</a>`
      : null;
  return html`<code>${key}</code>: ${said}${first}`;
}

const checks = ({ checks: all }: RequestPage): Html | null =>
  all.length === 0
    ? null
    : html`<section aria-labelledby="checks"><h2 id="checks">Checks, in their order</h2>
<ol class="card lines checks">
${all.map(
  ({ name, result, milliseconds }) => html`<li class="${result.replace(" ", "-")}">
<span><code>${name}</code></span>
<span>${result}${milliseconds === null ? null : html`, ${milliseconds} ms`}</span></li>
`,
)}</ol></section>`;

function linked({ linked: { consent, order, events, ledger } }: RequestPage): Html | null {
  if (!consent && !order && events.length === 0) return null;
  return html`<section aria-labelledby="linked">
<h2 id="linked">What it belongs to, as it is now</h2>
<dl class="rows card">
${
  consent &&
  row(
    "Consent",
    html`<code>${consent.consentId}</code><br>${consent.kind}:
<code>${consent.status}</code>`,
  )
}
${
  order &&
  row(
    "Order",
    html`<code>${order.orderId}</code><br>${order.kind}:
<code>${order.status}</code>`,
  )
}
${events.map((event) =>
  row(
    "Event",
    html`<code>${event.jti}</code> ${event.state}<br>${event.types.join(", ")},
${shortTime(event.occurredAt)}`,
  ),
)}
${ledger.map((posting) =>
  row(
    "Ledger",
    html`${posting.purpose}: ${posting.amount} ${posting.currency} from
<code>${posting.debitAccountId}</code> to <code>${posting.creditAccountId}</code>,
${shortTime(posting.at)}`,
  ),
)}
</dl></section>`;
}

function messages({ bodies }: RequestPage): Html {
  if (bodies === null) {
    return html`<p class="privacy">The log keeps headers and bodies only in a sandbox, with
REQUEST_LOG_BODIES, and drops the oldest.</p>`;
  }
  const { requestHeaders, request, requestBytes, answerHeaders, answer, answerBytes } = bodies;
  return html`${message("Request", requestHeaders, bodies.query, request, requestBytes)}
${message("Answer", answerHeaders, "", answer, answerBytes)}`;
}

const message = (
  title: string,
  headers: Headers,
  query: string,
  body: string | null,
  bytes: number,
): Html => html`<section aria-labelledby="${title}"><h2 id="${title}">${title}</h2>
${query === "" ? null : html`<p>Query: <code>${query}</code></p>`}
<pre tabindex="0" aria-label="Headers"><code>${block(
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n"),
)}</code></pre>
${
  body === null
    ? html`<p class="privacy">${bytes === 0 ? "No body." : `A body of ${bytes} bytes.`}</p>`
    : html`<pre tabindex="0" aria-label="Body"><code>${block(indented(body))}</code></pre>`
}</section>`;

/** JSON with line breaks; another text as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Text of several lines: each line is shown so that it cannot deceive. */
const block = (text: string): Html[] =>
  text.split("\n").map((one, index) => html`${index === 0 ? null : html`\n`}${one}`);

const others = ({ sameInteraction }: RequestPage): Html | null =>
  sameInteraction.length === 0
    ? null
    : html`<section aria-labelledby="others"><h2 id="others">Other requests with this interaction
id</h2>
<ul class="card lines">
${sameInteraction.map(
  (one) => html`<li><a href="${requestUrl(one.logId)}">${one.method} ${one.path}</a>
<span>${statusMark(one.status)}</span></li>
`,
)}</ul></section>`;
