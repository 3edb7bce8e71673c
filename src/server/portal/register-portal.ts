import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { nearEdits } from "#src/http/refusal/nearest.ts";
import { sha256 } from "#src/lib/hash.ts";
import { type Compressible, inEncoding } from "#src/pages/compressed.ts";
import { portalHeaders } from "#src/pages/page-headers.ts";
import { markdownPage } from "#src/pages/portal/block-markdown.ts";
import { framedPage, type PortalFrame, searchPage } from "#src/pages/portal/frame.ts";
import { withLinks } from "#src/pages/portal/inline.ts";
import { type SearchEntry, search, searchEntries, suggestion } from "#src/pages/portal/search.ts";

/** The portal as it was made for one day: its samples have dates. */
export type Portal = { frame: PortalFrame; entries(): readonly SearchEntry[] };

/** Makes a portal of its pages. What can be found in them is listed at the first search. */
export function createPortal(frame: PortalFrame): Portal {
  let entries: readonly SearchEntry[] | undefined;
  return {
    frame,
    entries() {
      entries ??= searchEntries(frame.pages);
      return entries;
    },
  };
}

/** A page as it is sent. */
type SentPage = Compressible & { etag: string; type: string };

// a crawler must not make a process keep every page of every world
const keptPages = 60;

/** Serves the pages below `/docs`, each also as Markdown, a list of them, and the search. */
export function registerPortal(app: FastifyInstance, portalOf: () => Portal): void {
  const kept = new Map<string, SentPage>();
  let current: Portal | undefined;
  const find = (path: string): SentPage | null => {
    const portal = portalOf();
    if (portal !== current) kept.clear();
    current = portal;
    const known = kept.get(path) ?? makePage(path, portal);
    if (!known || kept.has(path)) return known;
    const [oldest] = kept.keys();
    if (kept.size >= keptPages && oldest !== undefined) kept.delete(oldest);
    kept.set(path, known);
    return known;
  };
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const [path = ""] = request.url.split("?", 1);
    const isTwin = wantsMarkdown(request) && path !== listPath && !path.endsWith(".md");
    const found = find(isTwin ? `${path}.md` : path);
    if (found) return sendPage(request, reply, found);
    reply.callNotFound();
    return reply;
  };
  for (const url of ["/docs", "/docs.md", "/docs/*", listPath]) app.get(url, answer);
  app.get<{ Querystring: { q?: unknown } }>("/docs/search", ({ query: { q } }, reply) => {
    const { entries, frame } = portalOf();
    const query = typeof q === "string" ? q.trim().slice(0, longestQuery) : "";
    const results = search(entries(), query);
    const suggested = results.length > 0 ? null : suggestion(entries(), query, nearEdits);
    return reply.headers(portalHeaders).send(searchPage({ query, results, suggested }, frame));
  });
}

/** The pages as a list for programs that read (llmstxt.org). */
function llmsText({ bankName, pages }: PortalFrame): string {
  const parts = [...new Set(pages.map(({ part }) => part))];
  const lines = parts.flatMap((part) => {
    const listed = pages.filter((page) => page.part === part && page.isListed);
    const links = listed.map(
      ({ title, path, about }) => `- [${title}](${path}.md): ${withLinks(about, () => null)}`,
    );
    return links.length === 0 ? [] : ["", `## ${part}`, "", ...links];
  });
  const about = `> How to build on the Open Banking UK interface of ${bankName}: guides, and a page`;
  return [
    `# ${bankName}`,
    "",
    `${about} for each resource. \`/docs/search?q=…\` searches them.`,
    ...lines,
    "",
  ].join("\n");
}

const longestQuery = 100;

const listPath = "/llms.txt";

const wantsMarkdown = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.startsWith("text/markdown") ?? false;

function makePage(path: string, { frame }: Portal): SentPage | null {
  if (path === listPath) return sentPage(llmsText(frame), "text/plain");
  const isMarkdown = path.endsWith(".md");
  const asked = isMarkdown ? path.slice(0, -".md".length) : path;
  const page = frame.pages.find((one) => one.path === asked);
  if (!page) return null;
  return isMarkdown
    ? sentPage(markdownPage(page), "text/markdown")
    : sentPage(framedPage(page, frame), "text/html");
}

const sentPage = (content: string, type: string): SentPage => ({
  content,
  etag: `"${sha256(content).slice(0, 24)}"`,
  type: `${type}; charset=utf-8`,
  compressed: new Map(),
});

function sendPage(request: FastifyRequest, reply: FastifyReply, page: SentPage): FastifyReply {
  const { etag, type } = page;
  reply.headers({ ...portalHeaders, "content-type": type, etag, vary: "accept, accept-encoding" });
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  return reply.send(inEncoding(request, reply, page));
}
