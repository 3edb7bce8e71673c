import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import { robustPath, robustUrl } from "./robust.ts";

/** The contents of the page at `/`. */
type HomePage = {
  bankName: string;
  publicUrl: string;
  /** The base URL for TPPs over mutual TLS. */
  mtlsUrl: string;
  /**
   * Each version of each API: `Payment Initiation 4.0.1`, its path below the base
   * (`/api/open-banking/v4.0/pisp`) and its OpenAPI document (`/openapi/pisp-v4.0.json`).
   */
  apis: { title: string; path: string; openApi: string }[];
  /** The sandbox's part for newcomers; null in production. */
  sandbox: HomeSandbox | null;
};

/** The part of the home page that only a sandbox has. */
export type HomeSandbox = {
  /** The first steps, in order, with commands that can be pasted. */
  steps: { title: string; text: string; command: string }[];
  tpps: { name: string; clientId: string; about: string }[];
  personas: { name: string; about: string; login: string; password: string }[];
  /** Further pages for developers, for the links at the top. */
  pages: { url: string; text: string }[];
  /** Where worlds are opened and reset, and the name of the one that this sandbox is. */
  worlds?: { url: string; own: string | null };
  /** The TPPs on which something is played: the sandbox does not answer them as usual. */
  playedOn?: readonly string[];
};

/** The page at `/`: the addresses, and the next steps. */
export function homePage(page: HomePage): string {
  const body = page.sandbox
    ? html`${introduction(page.sandbox)}${sandboxBody(page.sandbox)}${bases(page)}`
    : html`<h1>${page.bankName} Open Banking</h1>
<p class="lead">The Open Banking UK interface of ${page.bankName}, for registered third-party
providers. Customers find their own pages in <a href="/bank">online banking</a>.</p>
${bases(page)}`;
  return layout({
    bankName: page.bankName,
    title: "Open Banking",
    width: "wide",
    corner: links(page),
    body,
  });
}

const links = (page: HomePage): Html => html`<nav class="corner" aria-label="Pages">
<a href="/docs">Documentation</a>
${page.sandbox?.pages.map(({ url, text }) => html`<a href="${url}">${text}</a>\n`)}
${page.sandbox?.worlds ? html`<a href="${page.sandbox.worlds.url}">Worlds</a>` : null}
<a href="/bank">Online banking</a></nav>`;

const playing = (playedOn: readonly string[] = []): Html | null =>
  playedOn.length === 0
    ? null
    : html`<div class="notice" role="status"><p>This sandbox now plays
<a href="${robustPath}">what real banks do</a>. It does not answer as usual to ${playedOn.map(
        (id) => html`<a href="${robustUrl(id)}"><code>${id}</code></a> `,
      )}</p></div>
`;

const introduction = ({ worlds, playedOn }: HomeSandbox): Html => html`${playing(playedOn)}<div
 class="hero">
<p class="tag">${worlds?.own ? `World ${worlds.own}` : "Sandbox"}</p>
<h1>The bank is open</h1>
<p class="lead">A whole bank for building on Open Banking UK: real consent screens, signed payments
that settle on a ledger, accounts with months of history. No real money moves here.</p>
${
  worlds?.own
    ? html`<p><a href="${worlds.url}">Reset this world, keep a snapshot or copy it</a></p>`
    : null
}
</div>
`;

function sandboxBody(sandbox: HomeSandbox): Html {
  return html`<section aria-labelledby="next"><h2 id="next">Next step</h2>
<ol class="steps">
${sandbox.steps.map(
  ({ title, text, command }) => html`<li><h3>${title}</h3>
<p>${text}</p>
${command === "" ? null : html`<pre tabindex="0"><code>${command}</code></pre>`}</li>
`,
)}</ol></section>
<section aria-labelledby="tpps"><h2 id="tpps">Two TPPs, ready to use</h2>
<ul class="tiles">
${sandbox.tpps.map(
  ({ name, clientId, about }) => html`<li class="card tile"><p><b>${name}</b><br>
<small>${about}</small></p><p><code>${clientId}</code></p></li>
`,
)}</ul></section>
<section aria-labelledby="personas"><h2 id="personas">The customers</h2>
<div class="card"><table class="people">
<thead><tr><th scope="col">Customer</th><th scope="col">User ID</th>
<th scope="col">Password</th></tr></thead>
<tbody>
${sandbox.personas.map(
  ({ name, about, login, password }) => html`<tr><td><b>${name}</b><br><small>${about}</small></td>
<td><code>${login}</code></td><td><code>${password}</code></td></tr>
`,
)}</tbody></table></div>
<p class="privacy">The page that asks for the second factor also shows it. To see what a customer
sees, log in to <a href="/bank">online banking</a>.</p></section>
`;
}

function bases(page: HomePage): Html {
  const line = (label: string, value: Html): Html =>
    html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`;
  const path = (url: string): Html => html`<a href="${url}"><code>${url}</code></a>`;
  return html`<section aria-labelledby="bases"><h2 id="bases">Where everything is</h2>
<dl class="rows card">
${line("Browsers", html`<code>${page.publicUrl}</code>`)}
${line("TPPs, mutual TLS", html`<code>${page.mtlsUrl}</code>`)}
${page.apis.map((api) => line(api.title, html`<code>${api.path}</code>`))}
${line("Discovery", path("/.well-known/openid-configuration"))}
${line("OpenAPI", html`${page.apis.map(({ openApi }) => html`${path(openApi)}<br>`)}`)}
${line("Health", html`${path("/health/live")}<br>${path("/health/ready")}`)}
</dl></section>`;
}
