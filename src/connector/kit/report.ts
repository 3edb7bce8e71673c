// What the conformance kit has found, for people and for tools.
import { escapeHtml, type Html, html } from "#src/pages/html.ts";
import type { CaseResult } from "./run-kit.ts";

/** What a run was about. */
type KitTitle = { url: string; core: string; at: Temporal.Instant; seed: number };

const words = { passed: "passed", failed: "FAILED", "not asked": "not asked" } as const;

/** How many cases have each result. */
export const countResults = (results: readonly CaseResult[]) => ({
  passed: results.filter(({ result }) => result === "passed").length,
  failed: results.filter(({ result }) => result === "failed").length,
  notAsked: results.filter(({ result }) => result === "not asked").length,
});

/** The lines about one case. */
export function linesOf(one: CaseResult): string {
  const { id, title, result, notes, failure, rule } = one;
  const more = notes.length > 0 ? ` (${notes.join("; ")})` : "";
  const first = `${words[result].padEnd(9)} ${id.padEnd(6)} ${title}${more}`;
  if (!failure) return first;
  const { expected, came, curl } = failure;
  const details = [
    `expected  ${expected}`,
    `came      ${came}`,
    `rule      ${rule}`,
    ...(curl === null ? [] : [`request   ${curl}`]),
  ];
  return [first, ...details.map((line) => `            ${line}`)].join("\n");
}

/** The members of a case that tools read. */
export function toItem({ exchanges: _, milliseconds, ...rest }: CaseResult): object {
  return { ...rest, milliseconds: Math.round(milliseconds) };
}

// XML 1.0 has no way to write other control characters
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const cleanXml = (text: string): string => escapeHtml(text.replaceAll(notInXml, "\ufffd"));

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

/** The results in the format of JUnit: a suite for each group. */
export function junitOf({ url, core }: KitTitle, results: readonly CaseResult[]): string {
  const suites = [...Map.groupBy(results, ({ group }) => group)].map(([group, cases]) => {
    const { failed, notAsked } = countResults(cases);
    const time = seconds(cases.reduce((sum, { milliseconds }) => sum + milliseconds, 0));
    return [
      `  <testsuite name="${cleanXml(group)}" tests="${cases.length}" failures="${failed}"` +
        ` skipped="${notAsked}" time="${time}">`,
      ...cases.map((one) => junitCase(one)),
      "  </testsuite>",
    ].join("\n");
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${cleanXml(`${core} at ${url}`)}">`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

function junitCase({ id, title, group, milliseconds, result, notes, failure, rule }: CaseResult) {
  const opened =
    `    <testcase classname="${cleanXml(group)}" name="${cleanXml(`${id} ${title}`)}"` +
    ` time="${seconds(milliseconds)}"`;
  if (result === "passed") return `${opened}/>`;
  if (!failure) {
    return `${opened}><skipped message="${cleanXml(notes.join("; "))}"/></testcase>`;
  }
  const { expected, came, curl } = failure;
  const text = [`rule: ${rule}`, ...(curl === null ? [] : [curl])].join("\n");
  const message = cleanXml(`expected ${expected}, but came ${came}`);
  return `${opened}><failure message="${message}">${cleanXml(text)}</failure></testcase>`;
}

const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;
padding:0 1rem}h2{margin-top:2rem}li{margin:.25rem 0}ul{list-style:none;padding:0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;padding:.5rem}
.failed{border-left:.25rem solid #b00020;padding-left:.75rem}dt{font-weight:600}
.result{display:inline-block;width:5.5rem}`;

/** The results as a page that needs nothing else. */
export function htmlOf({ url, core, at, seed }: KitTitle, results: readonly CaseResult[]): string {
  const { passed, failed, notAsked } = countResults(results);
  const groups = [...Map.groupBy(results, ({ group }) => group)].map(
    ([group, cases]) => html`<h2>${group}</h2><ul>${cases.map(htmlCase)}</ul>`,
  );
  const page = html`<title>Conformance of ${core}</title><h1>Conformance of ${core}</h1>
<p>${url}, ${at.toString()}, seed ${seed}: ${passed} passed, ${failed} failed,
${notAsked} not asked.</p>${groups}`;
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width">`;
  return `<!doctype html><html lang="en-GB">${head}<style>${style}</style>${page.text}</html>\n`;
}

function htmlCase({ id, title, result, notes, failure, rule }: CaseResult): Html {
  const kind = failure ? "failed" : "other";
  const more = notes.length > 0 ? html` (${notes.join("; ")})` : null;
  return html`<li class="${kind}" id="${id}"><span class="result">${words[result]}</span>
<b>${id}</b> ${title}${more}${
    failure &&
    html`<dl><dt>Expected</dt><dd>${failure.expected}</dd><dt>Came</dt><dd>${failure.came}</dd>
<dt>Rule</dt><dd>${rule}</dd></dl>${failure.curl !== null && html`<pre>${failure.curl}</pre>`}`
  }</li>
`;
}
