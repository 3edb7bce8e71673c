import { type Html, html, withCode } from "./html.ts";
import { problem } from "./journey-parts.ts";
import { layout } from "./layout.ts";
import { developerLinks, requestUrl, shortTime } from "./requests.ts";

/** The path of the page that plays misbehaviours, and shows how clients cope. */
export const robustPath = "/sandbox/robust";

type Misbehaviour = {
  name: string;
  title: string;
  plays: string;
  touches: string;
  robust: string;
};

type ReportedMisbehaviour = Misbehaviour & {
  state: "waiting" | "playing" | "done";
  played: readonly { at: string; method: string; path: string; logId: string | null }[];
  verdict: string | null;
  seen: string | null;
  advice: string | null;
};

/** What was played in a run, and how the client coped. */
type Report = {
  clientId: string;
  state: "running" | "ended";
  startedAt: string;
  endsAt: string;
  isRobust: boolean;
  summary: Readonly<Record<string, number>>;
  rows: readonly ReportedMisbehaviour[];
};

/** The contents of the page. */
type RobustPage = {
  bankName: string;
  /** The client that was asked for; empty if none was. */
  clientId: string;
  /** Its newest run; null if there is none. */
  report: Report | null;
  /** Everything that can be played. */
  misbehaviours: readonly Misbehaviour[];
  /** The clients on which something is played now. */
  open: readonly string[];
  error: string | null;
};

/** The address of the page about one client. */
export const robustUrl = (clientId: string): string =>
  `${robustPath}?client=${encodeURIComponent(clientId)}`;

/** The page. Its forms post `act`, `client` and `name`. */
export const robustPage = (page: RobustPage): string =>
  layout({
    bankName: page.bankName,
    title: "Is my client robust?",
    error: page.error,
    width: "wide",
    corner: developerLinks,
    body: html`<h1>Is my client robust?</h1>
<p class="lead">The sandbox plays on one TPP what real banks do: late and lost answers, other words,
new keys, events twice. It watches what the TPP does then, and reports. Nothing changes but the
answers and the delivery of events: orders, consents and balances are as they are.</p>
${problem(page.error)}
${page.report ? report(page.report) : choice(page)}
${table(page)}`,
  });

const choice = ({ clientId, open }: RobustPage): Html => html`<form method="post"
 action="${robustPath}" class="card" autocomplete="off">
<div class="field"><label for="client">Client</label>
<p class="hint" id="client-hint">The client_id of a TPP that calls with its client certificate</p>
<input id="client" name="client" value="${clientId}" spellcheck="false" required
 aria-describedby="client-hint"></div>
<div class="choices"><button class="button" name="act" value="start">Play everything</button>
<button class="plain-button" name="act" value="show">Show its report</button></div></form>
${
  open.length > 0 &&
  html`<p>Something is played now on ${open.map(
    (id) => html`<a href="${robustUrl(id)}"><code>${id}</code></a> `,
  )}</p>`
}`;

const marks: Readonly<Record<string, string>> = {
  coped: "served",
  "paid twice": "refused",
  "gave up": "refused",
  "at risk": "refused",
};

const mark = (verdict: string): Html =>
  html`<span class="mark ${marks[verdict] ?? "open"}">${verdict}</span>`;

const act = (one: string, text: string, clientId: string, name = "", kind = "plain-button"): Html =>
  html`<form method="post" action="${robustPath}"><input type="hidden" name="client"
 value="${clientId}"><input type="hidden" name="name" value="${name}"><button class="${kind}"
 name="act" value="${one}"${
   name === "" ? null : html` aria-label="${text}: ${name}"`
 }>${text}</button></form>`;

function report({ clientId, state, startedAt, endsAt, isRobust, summary, rows }: Report): Html {
  const isOpen = state === "running";
  const counts = Object.entries(summary).filter(([, count]) => count > 0);
  const said = isOpen
    ? html`Running until ${shortTime(endsAt)}. Let the TPP do what it usually does, in a loop, and
open this page again.`
    : isRobust
      ? html`The client coped with everything that could be judged.`
      : html`Ended at ${shortTime(endsAt)}. The advice below says what to change.`;
  return html`<section aria-labelledby="report"><h2 id="report">Report</h2>
<dl class="rows card">
<div><dt>Client</dt><dd><code>${clientId}</code></dd></div>
<div><dt>Began</dt><dd>${shortTime(startedAt)}</dd></div>
<div><dt>State</dt><dd>${said}</dd></div>
<div><dt>Verdicts</dt><dd>${
    counts.length === 0 ? "none yet" : counts.map(([word, count]) => html`${count} ${mark(word)} `)
  }</dd></div></dl>
<div class="choices">${
    isOpen
      ? html`<a class="plain-button" href="${robustUrl(clientId)}">Look again</a>
${act("end", "End the run", clientId)}`
      : act("start", "Play everything again", clientId, "", "button")
  }</div>
<ul class="card lines robust">
${rows.map((row) => reported(row, clientId))}</ul></section>`;
}

const reported = (row: ReportedMisbehaviour, clientId: string): Html => html`<li><div>
<h3>${row.title}</h3>
<p>${row.plays}</p>
<p>${row.seen ?? html`<small>Waits for ${row.touches}.</small>`}</p>
${row.advice && html`<p><b>What to change:</b> ${withCode(row.advice)}</p>`}
${
  row.played.length > 0 &&
  html`<p><small>Played on ${row.played.map(
    (one, index) => html`${index === 0 ? null : ", "}${playedCall(one)}`,
  )}</small></p>`
}</div>
<div>${mark(row.verdict ?? row.state)}
${row.state === "done" && act("play", "Play it again", clientId, row.name)}</div></li>
`;

const playedCall = ({ at, method, path, logId }: ReportedMisbehaviour["played"][number]): Html => {
  const text = html`${method} ${path}, ${shortTime(at).slice(11)}`;
  return logId === null ? text : html`<a href="${requestUrl(logId)}">${text}</a>`;
};

const table = ({ misbehaviours, report: shown, clientId }: RobustPage): Html => html`<section
 aria-labelledby="all"><h2 id="all">What can be played</h2>
<div class="card robust">${misbehaviours.map(
  (row) => html`<details><summary>${row.title} <small><code>${row.name}</code></small>
</summary><p>${row.plays}</p><dl class="rows">
<div><dt>On</dt><dd>${row.touches}</dd></div>
<div><dt>A robust client</dt><dd>${row.robust}</dd></div></dl>
${shown && act("play", "Play only this", clientId, row.name)}</details>
`,
)}</div></section>`;
