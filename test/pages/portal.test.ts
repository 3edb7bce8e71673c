import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import Fastify from "fastify";
import { Compile } from "typebox/compile";
import { present } from "#src/lib/assert.ts";
import { markdownPage } from "#src/pages/portal/block-markdown.ts";
import { framedPage, searchPage } from "#src/pages/portal/frame.ts";
import { search } from "#src/pages/portal/search.ts";
import { synonyms } from "#src/pages/portal/synonyms.ts";
import { formatIn } from "#src/payments/definitions/payment-kind.ts";
import { exposeStatus, transitionsOf } from "#src/payments/order/order-states.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { referenceSamples } from "#src/server/examples/reference-samples.ts";
import { registerPortal } from "#src/server/portal/register-portal.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { operations, publicUrl, samplePortal } from "./portal-bed.ts";
import { sampleDay } from "./samples.ts";

const portal = samplePortal();
const { frame } = portal;
const pages = new Map(frame.pages.map((page) => [page.path, framedPage(page, frame)]));

const elementsOf = (text: string): number => text.match(/<[a-z]/g)?.length ?? 0;
const idsOf = (text: string): string[] =>
  [...text.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id);

test("every page of the portal has at most 1,500 elements and 100 kB, and no id twice", () => {
  for (const [path, text] of pages) {
    const bytes = Buffer.byteLength(text);
    assert.ok(elementsOf(text) <= 1500, `${path} has ${elementsOf(text)} elements`);
    assert.ok(bytes <= 100_000, `${path} has ${bytes} bytes`);
    const ids = idsOf(text);
    const twice = ids.filter((id, index) => ids.indexOf(id) < index);
    assert.deepEqual(twice, [], path);
  }
});

test("a search engine finds every page of the portal with a sentence of its own, and no search", () => {
  for (const [path, text] of pages) {
    const [, description = ""] = /<meta name="description" content="([^"]*)">/.exec(text) ?? [];
    assert.ok(description.length >= 20, `${path}: ${description}`);
    assert.doesNotMatch(description, /`|\]\(/, path);
    assert.doesNotMatch(text, /noindex/, path);
  }
  const found = searchPage({ query: "consent", results: [] }, frame);
  assert.match(found, /<meta name="robots" content="noindex">/);
});

// what other parts of the bank serve
const elsewhere = /^\/(?:openapi\/[\w.-]+\.json|assets\/.+|sandbox\/.+|bank|)$/;

test("every link of the portal leads to a page and to an anchor on it", () => {
  const anchors = new Map([...pages].map(([path, text]) => [path, new Set(idsOf(text))]));
  for (const [path, text] of pages) {
    for (const [, href = ""] of text.matchAll(/ href="([^"]*)"/g)) {
      if (/^https?:/.test(href) || elsewhere.test(href)) continue;
      const [given = "", anchor] = href.split("#");
      const target = given === "" ? path : given.replace(/\.md$/, "");
      const found = anchors.get(target);
      assert.ok(found, `${path} links to ${href}`);
      if (anchor !== undefined) assert.ok(found.has(anchor), `${path} links to ${href}`);
    }
  }
});

test("a guide shows every heading, table and piece of code of its page in docs/", () => {
  const guides = frame.pages.filter(({ path }) => path.startsWith("/docs/guides/"));
  assert.ok(guides.length > 15);
  for (const { path } of guides) {
    const name = path.split("/").at(-1);
    const place = name === "changelog" ? "CHANGELOG" : `docs/${name}`;
    const file = new URL(`../../${place}.md`, import.meta.url);
    const written = readFileSync(file, "utf8");
    const shown = present(pages.get(path), path);
    const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
    const fences = count(written, /^```/gm) / 2;
    assert.equal(count(shown, /<pre /g), fences, path);
    const prose = written.replace(/^```[\s\S]*?^```/gm, "");
    assert.equal(count(shown, /<h[1-4]/g), count(prose, /^#{1,4} /gm), path);
    assert.equal(count(shown, /<tr>/g), count(prose, /^\|/gm) - count(prose, /^\| ?---/gm), path);
    assert.equal(count(shown, /<li>/g) >= count(prose, /^(?:- |\d+\. )/gm), true, path);
    const words = shown.replace(/<(code|pre)\b[\s\S]*?<\/\1>/g, "").replace(/<[^>]*>/g, "");
    assert.doesNotMatch(words, /\]\(|\*\*/, path);
  }
});

test("a guide names the address of the bank that serves it, and links to the changelog", () => {
  for (const [path, text] of pages) {
    if (path.startsWith("/docs/guides/")) assert.doesNotMatch(text, /localhost:8080/, path);
  }
  const sandbox = present(pages.get("/docs/guides/sandbox"), "the sandbox's guide");
  assert.ok(sandbox.includes(`curl -s ${publicUrl}/sandbox/v1/customers`));
  assert.ok(sandbox.includes(`<a href="${publicUrl}/bank">`));
  const upgrading = present(pages.get("/docs/guides/upgrading"), "the guide about upgrades");
  assert.ok(upgrading.includes('<a href="/docs/guides/changelog">'));
});

test("the portal shows every operation that the bank serves, on its resource's page", () => {
  for (const { api, operationId, path } of operations) {
    const shown = `${api.basePath}${path.replaceAll(/:(\w+)/g, "{$1}")}`;
    const holding = [...pages].filter(
      ([address, text]) =>
        address.startsWith(`/docs/api/${api.id}/`) &&
        text.includes(` id="${operationId}"`) &&
        text.includes(`<code>${shown}</code>`),
    );
    assert.equal(holding.length, 1, `${api.id} ${operationId}`);
  }
});

test("every operation with a body has a sample that is valid against its schema", () => {
  const samples = referenceSamples(paymentKinds, sampleDay);
  for (const { api, operationId, request, upload } of operations) {
    // a file has no schema that could be checked; its format is
    if (!request || upload) continue;
    const sample = structuredClone(samples[api.id]?.[operationId]) as { Data?: object } | undefined;
    assert.ok(sample, operationId);
    for (const [name, value] of Object.entries(sample.Data ?? {})) {
      if (value === "") Object.assign(sample.Data ?? {}, { [name]: "an-id" });
    }
    const errors = Compile(request).Errors(sample);
    assert.deepEqual(errors, [], operationId);
  }
});

test("D-401-58, D-401-59, D-401-60: the portal shows file payments with the accepted file and content types", () => {
  const page = present(pages.get("/docs/api/pisp-v4.0/file-payment-consents"), "the page");
  for (const { fileType, contentTypes, payloads } of kindNamed("file-payment", paymentKinds)
    .fileFormats ?? []) {
    for (const name of [fileType, ...contentTypes, ...payloads])
      assert.ok(page.includes(name), name);
  }
});

test("a page shows each status that its orders and consents can have, and what follows", () => {
  const rowsOf = (path: string): string[] => {
    const page = present(
      frame.pages.find((one) => one.path === path),
      path,
    );
    const text = markdownPage(page);
    const [, table = ""] = /^## Status words\n([\s\S]*?)^## /m.exec(text) ?? [];
    return table.split("\n").filter((line) => line.startsWith("| `"));
  };
  const row = (path: string, word: string) =>
    present(
      rowsOf(path).find((line) => line.startsWith(`| \`${word}\``)),
      `${path} ${word}`,
    );
  const payments = "/docs/api/pisp-v4.0/domestic-payments";
  const domestic = kindNamed("domestic-payment", paymentKinds);
  const { statuses } = formatIn(domestic, "pisp-v4.0");
  const expected = new Set(
    transitionsOf(domestic.family).map(({ to }) => exposeStatus(statuses, to)),
  );
  assert.equal(rowsOf(payments).length, new Set([...expected, "RCVD"]).size);
  for (const word of expected) row(payments, word);
  assert.match(row(payments, "ACSP"), /\| no \| .*`ACSC` if the payer's account is debited/);
  assert.match(row(payments, "RJCT"), /\| yes \|/);
  assert.match(row(payments, "ACSC"), /\| no \|/);
  const consents = "/docs/api/pisp-v3.1/domestic-payment-consents";
  assert.match(row(consents, "Authorised"), /`Consumed` if its order is submitted/);
  assert.match(
    row("/docs/api/aisp-v4.0/account-access", "CANC"),
    /`AUTH` if the customer approves/,
  );
  assert.deepEqual(rowsOf("/docs/api/aisp-v4.0/balances"), []);
  const withStatuses = frame.pages.filter(({ path }) => rowsOf(path).length > 0).length;
  const made = operations.filter(({ method, path }) => method === "POST" && !path.includes(":"));
  const ofEvents = made.filter(({ api }) => api.id.startsWith("events")).length;
  const ofFunds = made.filter(({ path }) => path === "/funds-confirmations").length;
  assert.equal(withStatuses, made.length - ofEvents - ofFunds);
});

test("the Markdown of a page has each of its headings, properties and codes", () => {
  for (const page of frame.pages) {
    const text = markdownPage(page);
    assert.ok(text.startsWith(`# ${page.title}\n`), page.path);
    const shown = present(pages.get(page.path), page.path);
    for (const [, name = ""] of shown.matchAll(/<li id="[^"]*"><code>([^<]*)<\/code>/g))
      assert.ok(text.includes(`- \`${name}\` (`), `${page.path} ${name}`);
    assert.doesNotMatch(text, /<\/?(?:p|li|div|details|form)\b/, page.path);
  }
});

test("a search finds operations, properties, codes and pages by their names", () => {
  const first = (query: string): string => search(portal.entries(), query)[0]?.url ?? "";
  assert.match(first("LocalInstrument"), /#.*LocalInstrument$/);
  assert.equal(first("U015"), "/docs/errors#U015");
  assert.equal(first("headers of every request"), "/docs/headers");
  assert.match(first("domestic payments"), /\/domestic-payments$/);
  assert.match(first("upload the file"), /file-payment-consents#CreateFilePaymentConsents/);
  const titles = search(portal.entries(), "LocalInstrument").map(
    ({ title, about }) => title + about,
  );
  assert.equal(new Set(titles).size, titles.length);
  const [best] = search(portal.entries(), "Data.Initiation.LocalInstrument");
  assert.ok((best?.also.length ?? 0) > 3, "a property of many resources is one result");
  assert.deepEqual(search(portal.entries(), "no such word anywhere"), []);
  assert.deepEqual(search(portal.entries(), " "), []);
});

// what a developer types, and what must be among the first three results
const sought: readonly (readonly [query: string, ...urls: RegExp[]])[] = [
  ["consent", /\/guides\/funds-confirmations#the-consent$/, /\/guides\//, /\/guides\//],
  ["consents", /\/guides\/variable-recurring-payments#the-consent$/, /\/guides\//],
  ["sort code", /^\/docs\/codes\/SchemeName#UK\.OBIE\.SortCodeAccountNumber$/],
  ["how do i sign", /^\/docs\/guides\/build-a-tpp#sign-a-body$/],
  ["How do I sign a body?", /^\/docs\/guides\/build-a-tpp#sign-a-body$/],
  ["idempotency", /^\/docs\/guides\/payments#idempotency$/],
  ["idempotency key", /^\/docs\/guides\/payments#idempotency$/, /x-idempotency-key$/],
  ["balance", /\/aisp-v3\.1\/balances$/, /\/aisp-v4\.0\/balances$/],
  ["account", /\/aisp-v4\.0\/accounts$/, /^\/docs\/guides\/account-data$/],
  ["payment", /^\/docs\/guides\/payments$/],
  ["standing orders", /^\/docs\/guides\/standing-orders$/, /\/aisp-v4\.0\/standing-orders$/],
  ["certificate", /^\/docs\/guides\/certificates$/],
  ["refresh token", /^\/docs\/guides\/build-a-tpp#refresh-/],
  ["what is a world", /^\/docs\/guides\/worlds$/],
  ["signature", /^\/docs\/errors#UK\.OBIE\.Signature\.Invalid$/],
  ["debtor account", /-request\.Data\.Initiation\.DebtorAccount$/],
  ["AM04", /^\/docs\/errors#AM04$/],
];

test("a search puts guides, pages and operations before properties, and the sandbox's own last", () => {
  for (const [query, ...urls] of sought) {
    const first = search(portal.entries(), query).slice(0, 3);
    const found = first.map(({ url }) => url);
    for (const url of urls) {
      assert.ok(
        found.some((one) => url.test(one)),
        `${query}: ${url} is not in ${found.join(", ")}`,
      );
    }
    assert.doesNotMatch(found[0] ?? "", /\/sandbox-v1/, query);
  }
});

test("a search that finds nothing suggests the nearest known words", async () => {
  const app = Fastify();
  registerPortal(app, () => portal);
  for (const [query, suggested] of [
    ["idempotancy", "idempotency"],
    ["standing ordrs", "standing orders"],
    ["how do i get a consnet", "how do i get a consent"],
    ["zzzzqqqq", null],
    ["\u{1f980}".repeat(60), null],
  ] as const) {
    const { statusCode, body } = await app.inject({ url: "/docs/search", query: { q: query } });
    assert.equal(statusCode, 200);
    const [, shown = null] = /Did you mean <a href="[^"]*">([^<]*)<\/a>/.exec(body) ?? [];
    assert.equal(shown, suggested, query);
  }
  await app.close();
});

test("the list of pages for programs is compressed, and is sent once", async () => {
  const app = Fastify();
  registerPortal(app, () => portal);
  const url = "/llms.txt";
  const plain = await app.inject({ url, headers: { accept: "text/markdown" } });
  assert.equal(plain.headers["content-type"], "text/plain; charset=utf-8");
  const small = await app.inject({ url, headers: { "accept-encoding": "br, gzip" } });
  assert.equal(small.headers["content-encoding"], "br");
  assert.equal(brotliDecompressSync(small.rawPayload).toString(), plain.body);
  const etag = present(small.headers.etag, "the tag");
  const again = await app.inject({ url, headers: { "if-none-match": etag } });
  assert.deepEqual([again.statusCode, again.body], [304, ""]);
  await app.close();
});

test("a search knows usual words for what the portal calls differently", () => {
  const entries = portal.entries();
  const places = new Set(entries.map(({ url }) => url));
  for (const { words, finds } of synonyms) {
    assert.deepEqual(
      finds.filter((place) => !places.has(place)),
      [],
    );
    for (const word of words) {
      const results = search(entries, word).map(({ url }) => url);
      assert.deepEqual(results.slice(0, finds.length), finds, word);
      assert.ok(search(entries, `${word.toUpperCase()}  test`).some(({ url }) => url === finds[0]));
    }
  }
  const words = synonyms.flatMap((row) => row.words);
  assert.deepEqual(words, [...new Set(words)]);
  assert.notEqual(search(entries, "scale")[0]?.url, search(entries, "sca")[0]?.url);
});

test("a search finds what a guide says below its headings, with the words around it", () => {
  for (const [query, url] of [
    ["b64", /^\/docs\/guides\/(build-a-tpp|ten-mistakes)#/],
    ["c_hash", /^\/docs\/guides\/build-a-tpp-fapi1(#|$)/],
    ["CLOCK_START", /^\/docs\/guides\/sandbox#set-the-clock-forward$/],
    ["confirmation of payee", /^\/docs\/guides\/sandbox#/],
  ] as const) {
    const results = search(portal.entries(), query);
    const found = results.find((result) => url.test(result.url));
    assert.ok(found, `${query}: ${results.map((one) => one.url).join(", ")}`);
    assert.ok(`${found.title} ${found.about}`.toLowerCase().includes(query.toLowerCase()), query);
  }
  for (const query of ["the", "a", "CLOCK", "payment"]) {
    const results = search(portal.entries(), query);
    const text = searchPage({ query, results }, frame);
    assert.ok(elementsOf(text) <= 1500, `${query}: ${elementsOf(text)} elements`);
    assert.ok(Buffer.byteLength(text) <= 100_000, query);
    for (const { url, about } of results)
      if (url.startsWith("/docs/guides/")) assert.ok(about.length < 400, `${url}: ${about}`);
  }
});
