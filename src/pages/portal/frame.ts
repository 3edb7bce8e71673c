import { countOf } from "#src/lib/plain-text.ts";
import { assetUrl } from "#src/pages/assets.ts";
import { type Html, html } from "#src/pages/html.ts";
import { layout, type Page } from "#src/pages/layout.ts";
import { blocksHtml } from "./block-html.ts";
import type { PortalPage } from "./blocks.ts";
import { plainInline } from "./inline.ts";
import type { SearchResult } from "./search.ts";
import { profileForm } from "./try-form.ts";

/** What surrounds every page of the portal. */
export type PortalFrame = {
  bankName: string;
  pages: readonly PortalPage[];
  /** The security profiles of the TPPs that can try calls; null if calls cannot be tried. */
  profiles: readonly { id: string; title: string }[] | null;
};

/** A page of the portal with its navigation. It is complete without script. */
export function framedPage(page: PortalPage, frame: PortalFrame): string {
  const body = html`<div class="portal-page">
${navigation(page, frame)}
<article>
<p class="trail">${page.part}</p>
<h1>${page.title}</h1>
${blocksHtml(page.blocks())}
<p class="twin"><a href="${page.path}.md">This page as Markdown</a></p>
</article></div>`;
  const { title, about, hasForms } = page;
  return wholePage({ title, bankName: frame.bankName, body, description: about }, hasForms);
}

type Search = {
  query: string;
  results: readonly SearchResult[];
  /** What the reader may have meant, if nothing was found. */
  suggested?: string | null;
};

const queryOf = (q: string): string => new URLSearchParams({ q }).toString();

/** The page of what a search found, and of a search that found nothing. */
export function searchPage(
  { query, results, suggested = null }: Search,
  frame: PortalFrame,
): string {
  const body = html`<div class="portal-page">
${navigation(null, frame, query)}
<article>
<h1>${query === "" ? "Search" : `Search: ${query}`}</h1>
${
  query !== "" && results.length === 0
    ? html`<p>Nothing has all of these words. ${
        suggested === null
          ? "Try the name of a property, a code or an operation."
          : html`Did you mean <a href="/docs/search?${queryOf(suggested)}">${suggested}</a>?`
      }</p>`
    : null
}
<ul class="found">${results.map(
    ({ title, url, about, also }) =>
      html`<li><a href="${url}">${title}</a><br><small>${about}</small>${otherPlaces(also)}</li>\n`,
  )}</ul></article></div>`;
  return wholePage({ title: "Search", bankName: frame.bankName, body }, false);
}

const mostPlaces = 6;

/** The other pages with the same property, folded so that the list stays short. */
function otherPlaces(also: SearchResult["also"]): Html | null {
  if (also.length === 0) return null;
  const left = also.length - mostPlaces;
  const shown = also
    .slice(0, mostPlaces)
    .map(({ title, url }) => html`<li><a href="${url}">${title}</a></li>`);
  const others = countOf(also.length, "other page", "other pages");
  return html`<details><summary>also on ${others}</summary>
<ul>${shown}${left > 0 && html`<li>and ${left} more</li>`}</ul></details>`;
}

function wholePage({ description, ...page }: Page, hasForms: boolean): string {
  const head = html`<link rel="stylesheet" href="${assetUrl("portal.css")}">
${hasForms && html`<script src="${assetUrl("portal.js")}" defer></script>`}`;
  const corner = html`<nav class="corner" aria-label="Pages"><a href="/">Home</a>
<a href="/docs">Documentation</a>
<button class="link-button" popovertarget="contents">Contents</button></nav>`;
  const about = description === undefined ? {} : { description: plainInline(description) };
  return layout({ ...page, ...about, width: "full", corner, head });
}

/** On a phone the navigation opens over the page, without script. */
function navigation(current: PortalPage | null, frame: PortalFrame, query = ""): Html {
  const parts = [...new Set(frame.pages.map(({ part }) => part))];
  return html`<nav class="contents" id="contents" popover aria-label="Documentation">
<form role="search" action="/docs/search"><label class="unseen" for="q">Search</label>
<input type="search" id="q" name="q" value="${query}" placeholder="Search" autocomplete="off">
<button class="button">Search</button></form>
${frame.profiles && current?.hasForms && profileForm(frame.profiles)}
<ul>${parts.map((part) => partLine(part, current, frame))}</ul></nav>`;
}

function partLine(part: string, current: PortalPage | null, { pages }: PortalFrame): Html | null {
  const own = pages.filter((page) => page.part === part && page.isListed);
  const [first] = own;
  if (!first) return null;
  const isOpen = current?.part === part;
  const listed = isOpen && own.length > 1;
  return html`<li>${link(first.path, part, listed ? null : current)}${
    listed &&
    html`<ul>${own.map(({ path, title }) => html`<li>${link(path, title, current)}</li>\n`)}</ul>`
  }</li>\n`;
}

const link = (path: string, title: string, current: PortalPage | null): Html =>
  html`<a href="${path}"${current?.path === path && html` aria-current="page"`}>${title}</a>`;
