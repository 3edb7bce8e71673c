import { type ActForms, actForms } from "./acts.ts";
import { type Html, html, withCode } from "./html.ts";
import { layout } from "./layout.ts";
import { developerLinks, requestsPath, requestUrl, shortTime } from "./requests.ts";

/** The path of the page that explains an id. */
export const explanationsPath = "/sandbox/explanations";

type Fault = {
  code: string;
  meaning: string | null;
  message: string | null;
  where: string | null;
  expected: string | null;
  found: string | null;
  rules: readonly string[];
  sections: readonly string[];
  next: string | null;
};

/** A detached signature, examined. */
type SignatureReport = {
  isValid: boolean;
  header: Record<string, unknown> | null;
  keyNamed: string | null;
  keysKnown: readonly string[];
  verified: {
    bytes: number;
    sha256: string;
    signingInput: string;
    bodyBytes: number;
    bodySha256: string;
  };
  difference: { form: string; at: number; received: string; signed: string } | null;
  mistake: string | null;
};

type Explained = {
  summary: string;
  faults: readonly Fault[];
  signature: SignatureReport | null;
  facts: readonly { name: string; value: string }[];
  next: string;
};

/** What happened to a consent or an order. */
type History = readonly { at: string; what: string; by: string; interactionId: string | null }[];

type ExplainedId = Explained & { id: string; history: History };

/** The judgement of something that was pasted. */
export type JudgedReport = Explained & {
  checks: readonly { name: string; result: string; detail: string | null }[];
};

/** The page that explains a request, a consent or an order; without one, it asks for an id. */
export const explanationPage = (page: {
  bankName: string;
  id: string;
  explained: ExplainedId | null;
  /** Why nothing is explained. */
  unknown: string;
  /** What can be done to the object with the id; null if nothing can. */
  forms: ActForms | null;
}): string =>
  layout({
    bankName: page.bankName,
    title: "Ask it why",
    width: "wide",
    corner: developerLinks,
    body: html`<h1>Ask it why</h1>
<p class="lead">Give the id of a request (x-fapi-interaction-id), of a consent, of an order or of a
grant; or of an account. A customer’s user ID only leads to what you can do to the customer.</p>
<form method="get" action="${explanationsPath}" class="card" autocomplete="off">
<div class="field"><label for="id">Id</label>
<input id="id" name="id" value="${page.id}" spellcheck="false" required></div>
<p><button class="button">Explain</button></p></form>
${
  page.explained
    ? explanation(page.explained)
    : page.id !== "" &&
      !page.forms &&
      html`<div class="notice problem" role="alert"><p>${withCode(page.unknown)}</p>
<p><a href="${requestsPath}">The requests</a> list what the log has.</p></div>`
}
${page.forms && actForms(page.forms)}`,
  });

/** An explanation or a judgement, as a part of a page. */
export const explanation = (explained: ExplainedId | JudgedReport): Html => html`<section
 aria-labelledby="why"><h2 id="why">${"checks" in explained ? "Result" : "Why"}</h2>
<p>${explained.summary}</p>
${explained.faults.map(fault)}
${explained.signature && signatureReport(explained.signature)}
${"checks" in explained ? checkList(explained.checks) : null}
${facts(explained.facts)}
${"history" in explained ? history(explained.history) : null}
<div class="card linked"><p><b>Next:</b> ${withCode(explained.next)}</p></div></section>`;

const row = (label: string, value: Html | string | null): Html | null =>
  value === null || value === "" ? null : html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`;

const fault = (one: Fault): Html => html`<dl class="rows card">
${row("Code", html`<code>${one.code}</code> ${one.meaning}`)}
${row("Where", one.where && html`<code>${one.where}</code>`)}
${row("Message", one.message)}
${row("Expected", one.expected)}
${row("Found", one.found && html`<code>${one.found}</code>`)}
${row("Rule", one.rules.join(", "))}
${row("Specification", one.sections.join("; "))}
${row("Next", one.next && html`${withCode(one.next)}`)}
</dl>`;

/** What the bank verified, and the likely mistake. */
const signatureReport = (one: SignatureReport): Html => html`<h3>The signature</h3>
<dl class="rows card">
${row("Result", one.isValid ? "valid" : one.mistake)}
${row("Key named", one.keyNamed && html`<code>${one.keyNamed}</code>`)}
${row("Keys known", html`${one.keysKnown.map((kid) => html`<code>${kid}</code> `)}`)}
${
  one.difference &&
  row(
    "First difference",
    html`byte ${one.difference.at}: received <code>${one.difference.received}</code>, signed
<code>${one.difference.signed}</code>`,
  )
}
${row(
  "Verified",
  html`${one.verified.bytes} bytes, header.body in base64url, SHA-256
<code>${one.verified.sha256}</code>`,
)}
${row(
  "Body",
  html`${one.verified.bodyBytes} bytes, SHA-256
<code>${one.verified.bodySha256}</code>`,
)}
</dl>
<pre tabindex="0" aria-label="The bytes that were verified"
><code>${one.verified.signingInput}</code></pre>
${
  one.header &&
  html`<pre tabindex="0" aria-label="JOSE header"><code>${jsonLines(one.header)}</code></pre>`
}`;

/** A value as JSON with line breaks, of which each line is shown so that it cannot deceive. */
const jsonLines = (value: unknown): Html[] =>
  JSON.stringify(value, null, 2)
    .split("\n")
    .map((one, index) => html`${index === 0 ? null : html`\n`}${one}`);

const checkList = (all: JudgedReport["checks"]): Html | null =>
  all.length === 0
    ? null
    : html`<h3>Checks, in their order</h3>
<ol class="card lines checks">
${all.map(
  ({ name, result, detail }) => html`<li class="${result.replace(" ", "-")}">
<span>${name}${detail && html`<br><small>${withCode(detail)}</small>`}</span>
<span>${result}</span></li>
`,
)}</ol>`;

const facts = (all: ExplainedId["facts"]): Html | null =>
  all.length === 0
    ? null
    : html`<dl class="rows card">${all.map(({ name, value }) => row(name, value))}</dl>`;

const history = (all: History): Html | null =>
  all.length === 0
    ? null
    : html`<h3>What happened</h3>
<ol class="card lines">
${all.map(
  ({ at, what, by, interactionId }) => html`<li><div>${what}<br>
<small>${shortTime(at)}, by ${by}</small></div>
${
  interactionId === null
    ? null
    : html`<div><a href="${requestUrl(interactionId)}">the request</a></div>`
}</li>
`,
)}</ol>`;
