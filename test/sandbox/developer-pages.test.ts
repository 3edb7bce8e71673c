// The pages for a sandbox's developer are as small as those of the documentation.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { appPath } from "#src/pages/app.ts";
import { explanationsPath } from "#src/pages/explanation.ts";
import { customersPath, tppsPath } from "#src/pages/people.ts";
import { judgePath, requestsPath } from "#src/pages/requests.ts";
import { robustPath } from "#src/pages/robust.ts";
import { type Host, openWorldsHost } from "#test/worlds/worlds-bed.ts";

let host: Host;
let logged: string;
before(async () => {
  host = await openWorldsHost();
  await host.world("red");
  for (let sent = 0; sent < 120; sent += 1) {
    const answer = await fetch(`${host.publicUrl}/api/open-banking/v4.0/aisp/accounts?n=${sent}`);
    logged = answer.headers.get("x-fapi-interaction-id") ?? "";
  }
});
after(() => host?.close());

const pages: [name: string, path: () => string][] = [
  ["home", () => "/"],
  ["worlds", () => "/worlds"],
  ["requests", () => requestsPath],
  ["one request", () => `${requestsPath}/${logged}`],
  ["the form of explanations", () => explanationsPath],
  ["an explanation", () => `${explanationsPath}?id=${logged}`],
  ["what cannot be explained", () => `${explanationsPath}?id=none`],
  ["judge", () => judgePath],
  ["robust", () => robustPath],
  ["customers", () => customersPath],
  ["TPPs", () => tppsPath],
  ["app", () => appPath],
];

describe("a page for developers is compressed, and has at most 1,500 elements and 100 kB", () => {
  for (const [name, path] of pages) {
    test(name, async () => {
      for (const encoding of ["br", "gzip", "identity"]) {
        const headers = { "accept-encoding": encoding };
        const sent = await fetch(host.publicUrl + path(), { headers });
        const text = await sent.text();
        assert.match(text, /<main/);
        const used = sent.headers.get("content-encoding") ?? "identity";
        assert.deepEqual([used, sent.headers.get("vary")], [encoding, "accept-encoding"]);
        assert.ok(text.length <= 100_000, `${text.length} characters`);
        const elements = text.match(/<[a-z]/g)?.length ?? 0;
        assert.ok(elements <= 1500, `${elements} elements`);
      }
    });
  }
});

test("a page for customers is not compressed next to the secrets of its forms", async () => {
  const sent = await fetch(`${host.publicUrl}/bank/login`, { headers: { accept: "text/html" } });
  assert.match(await sent.text(), /<form/);
  assert.equal(sent.headers.get("content-encoding"), null);
});
