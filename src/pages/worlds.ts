import { type Html, html } from "./html.ts";
import { problem } from "./journey-parts.ts";
import { layout } from "./layout.ts";

/** A world on the page. */
type PageWorld = {
  name: string;
  state: "open" | "closed";
  publicUrl: string;
  /** `a clock that stands still`, for example. */
  clock: string;
  /** The time of the world now; null while it is closed. */
  now: string | null;
  snapshots: readonly { name: string; now: string }[];
};

/** The contents of the page of worlds. */
type WorldsPage = {
  bankName: string;
  worlds: readonly PageWorld[];
  /** What has been done, or null. */
  done: string | null;
  /** Why nothing was done, or null. */
  error: string | null;
  /** What is to be confirmed, or null. */
  asked: { act: ConfirmedAct; name: string } | null;
};

/** What an act that cannot be undone is called, and what it destroys. */
const confirmed = {
  reset: { verb: "Reset", loss: "Everything that has happened in it is lost; its TPPs stay." },
  delete: { verb: "Delete", loss: "Its data, snapshots and keys are deleted." },
};

/** An act that the page does only after it has asked. */
type ConfirmedAct = keyof typeof confirmed;

/** The acts that the page does only after it has asked. */
export const confirmedActs = Object.keys(confirmed) as ConfirmedAct[];

/** The page that lists the worlds of a sandbox, with the controls of each. Its forms post `act`. */
export function worldsPage(page: WorldsPage): string {
  const body = html`<h1>Worlds</h1>
<p class="lead">A world is a bank of your own in this sandbox, with its own customers, TPPs, clock
and keys. What one world does, another does not notice.</p>
${problem(page.error)}
${page.done ? html`<div class="notice done" role="status"><p>${page.done}</p></div>` : null}
${page.asked && confirmation(page.asked)}
${page.worlds.map(worldCard)}
${page.worlds.length === 0 ? html`<p>There are no worlds yet.</p>` : null}
<section class="card linked" aria-labelledby="new"><h2 id="new">Open a world</h2>
<form method="post" action="/worlds">
${field("name", "Name", "1 to 30 lower-case letters, digits and hyphens. Leave it empty for any.")}
${field("start", "Its time", "Such as 2027-03-01T09:00Z. Leave it empty for now.")}
<p><input type="checkbox" id="frozen" name="frozen" value="yes">
<label for="frozen">Its clock stands still until you set it forward</label></p>
<div class="choices"><button class="button" name="act" value="open">Open the world</button></div>
</form></section>
<p><a href="/">Back to the sandbox</a></p>`;
  return layout({
    bankName: page.bankName,
    title: "Worlds",
    error: page.error,
    width: "wide",
    corner: html`<nav class="corner" aria-label="Pages"><a href="/">Sandbox</a>
<a href="/docs">Documentation</a></nav>`,
    body,
  });
}

const field = (name: string, label: string, hint: string): Html => html`<div class="field">
<label for="${name}">${label}</label><p class="hint" id="${name}-hint">${hint}</p>
<input type="text" id="${name}" name="${name}" aria-describedby="${name}-hint"
 autocomplete="off" autocapitalize="none" spellcheck="false"></div>
`;

function confirmation({ act, name }: NonNullable<WorldsPage["asked"]>): Html {
  const { verb, loss } = confirmed[act];
  return html`<section class="card" aria-labelledby="asked">
<h2 id="asked">${verb} ${name}?</h2>
<p>${loss} This cannot be undone.</p>
<form method="post" action="/worlds"><input type="hidden" name="name" value="${name}">
<div class="choices"><button class="button" name="act" value="${act}">${verb} ${name}</button>
<a href="/worlds">Keep</a></div></form></section>
`;
}

const states = { open: "Open", closed: "Closed until the next connection" };

function worldCard({ name, state, publicUrl, clock, now, snapshots }: PageWorld): Html {
  return html`<section class="card linked" aria-labelledby="world-${name}">
<h2 id="world-${name}"><a href="${publicUrl}/">${name}</a></h2>
<dl class="rows"><div><dt>Home page</dt><dd><code>${publicUrl}/</code></dd></div>
<div><dt>State</dt><dd>${states[state]}</dd></div>
${now && html`<div><dt>Time</dt><dd>${now.slice(0, 16)}Z</dd></div>`}
<div><dt>Clock</dt><dd>${clock}</dd></div></dl>
<form method="post" action="/worlds"><input type="hidden" name="name" value="${name}">
${snapshots.length === 0 ? null : snapshotChoice(name, snapshots)}
<div class="choices">${button("snapshot", "Keep a snapshot", name)}
${button("fork", "Copy", name)}</div></form>
<p class="deletion">${confirmedActs.map((act) => askLink(act, name))}</p>
</section>
`;
}

const askLink = (act: ConfirmedAct, name: string): Html =>
  html`<a href="/worlds?${act}=${name}" aria-label="${confirmed[act].verb}: ${name}">${
    confirmed[act].verb
  } …</a> `;

const button = (act: string, text: string, name: string): Html =>
  html`<button class="plain-button" name="act" value="${act}"
 aria-label="${text}: ${name}">${text}</button>`;

const snapshotChoice = (name: string, snapshots: PageWorld["snapshots"]): Html =>
  html`<div class="field"><label for="snapshot-${name}">Snapshot</label>
<select id="snapshot-${name}" name="snapshot">
${snapshots.map((one) => html`<option value="${one.name}">${one.name}, at ${one.now.slice(0, 16)}Z</option>`)}
</select></div><p>${button("restore", "Restore the snapshot", name)}</p>
`;
