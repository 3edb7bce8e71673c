// The documentation that a world serves shows addresses that its reader can use.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ShownWorld } from "#src/sandbox/controls/world-shapes.ts";
import { type Host, openWorldsHost } from "./worlds-bed.ts";

let host: Host;
let red: ShownWorld;
before(async () => {
  host = await openWorldsHost();
  red = await host.world("red");
});
after(() => host?.close());

async function textAt(path: string): Promise<string> {
  const answer = await fetch(red.publicUrl + path);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

/** What a world serves as documentation: each page and its twin, the documents, the collections. */
async function served(): Promise<string[]> {
  const list = await textAt("/llms.txt");
  const pages = [...list.matchAll(/\]\((\/docs[^)]*)\.md\)/g)].map(([, path = ""]) => path);
  const texts = await Promise.all(pages.flatMap((path) => [textAt(path), textAt(`${path}.md`)]));
  const linked = new Set(
    texts.flatMap((text) => [
      ...text.matchAll(/\/openapi\/[\w.-]+\.json|\/docs\/collections\/[\w.-]+/g),
    ]),
  );
  const files = [...new Set([...linked].map(([path]) => path))];
  assert.ok(pages.length > 50 && files.length > 5, `${pages.length} ${files}`);
  return [...texts, ...(await Promise.all(files.map(textAt)))];
}

test("the documentation of a world names the world's own addresses", async () => {
  const counts = new Map<string, number>();
  for (const text of await served()) {
    for (const [address] of text.matchAll(/(?:https?:\/\/)?\blocalhost:\d+/g)) {
      counts.set(address, (counts.get(address) ?? 0) + 1);
    }
  }
  const tpps = ["http://localhost:3000", "http://localhost:4000"];
  const own = [red.publicUrl, red.mtlsUrl, host.publicUrl, ...tpps];
  assert.deepEqual(
    [...counts.keys()].filter((address) => !own.includes(address)),
    [],
  );
});
