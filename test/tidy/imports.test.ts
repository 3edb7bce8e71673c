import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { checkImports } from "#scripts/imports.ts";

type Tree = Record<string, string>;

const main = "src/main.ts";
const manifest = JSON.stringify({
  type: "module",
  imports: { "#src/*": "./src/*", "#test/*": "./test/*", "#packages/*": "./packages/*" },
});

/** A tree in which every file is imported and no import has the wrong direction. */
const sound: Tree = {
  [main]: 'import "#src/server/open.ts";\n',
  "src/server/open.ts": 'import "#src/accounts/a.ts";\nimport "#src/payments/p.ts";\n',
  "src/accounts/a.ts": 'import type { Leaf } from "#src/lib/leaf.ts";\nexport type A = Leaf;\n',
  "src/payments/p.ts": 'import "./q.ts";\nexport type P = 1;\n',
  "src/payments/q.ts": 'import "#src/lib/leaf.ts";\nexport type Q = 1;\n',
  "src/lib/leaf.ts": "export type Leaf = 1;\n",
};

async function findingsOf(tree: Tree, known: readonly string[] = []): Promise<string[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "aldgate-imports-")));
  try {
    for (const [path, text] of Object.entries({ "package.json": manifest, ...sound, ...tree })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const circles = known.length > 0 ? [{ files: known, reason: "a test" }] : [];
    const folders = ["src", "packages"].filter((folder) => existsSync(join(root, folder)));
    const { findings } = await checkImports(root, folders, circles);
    return findings.map(({ path, message }) => `${path}: ${message.split(":")[0]}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const circle: Tree = {
  "src/payments/q.ts": 'import type { P } from "./p.ts";\nexport type Q = P;\n',
};

const bad: [title: string, tree: Tree, findings: string[]][] = [
  [
    "a room imports a room on a higher step",
    { "src/lib/leaf.ts": 'import "#src/bank/b.ts";\n', "src/bank/b.ts": "export type B = 1;\n" },
    ["src/lib/leaf.ts: upwards"],
  ],
  [
    "a room imports only a type of a room on a higher step",
    {
      "src/lib/leaf.ts": 'import type {} from "#src/bank/b.ts";\n',
      "src/bank/b.ts": "export {};\n",
    },
    ["src/lib/leaf.ts: upwards"],
  ],
  [
    "two rooms on one step import each other",
    {
      "src/accounts/a.ts": 'import type { B } from "#src/payments/b.ts";\nexport type A = B;\n',
      "src/payments/b.ts": "export type B = 1;\n",
    },
    ["src/accounts/a.ts: sideways"],
  ],
  [
    "a room imports the inner folder of another room",
    {
      "src/accounts/a.ts":
        'import { s } from "#src/account-store/storing/s.ts";\nexport const A = s;\n',
      "src/account-store/storing/s.ts": "export const s = 1;\n",
    },
    ["src/accounts/a.ts: inner"],
  ],
  [
    "a folder imports a type of a folder that comes after it in its room",
    {
      "src/payments/p.ts": 'import "./calendar/c.ts";\nimport "./q.ts";\nexport type P = 1;\n',
      "src/payments/calendar/c.ts":
        'import type { O } from "#src/payments/order/o.ts";\nexport type C = O;\n',
      "src/payments/order/o.ts": "export type O = 1;\n",
    },
    ["src/payments/calendar/c.ts: folder upwards"],
  ],
  [
    "two folders of a room import each other",
    {
      "src/payments/p.ts": 'import "./order/o.ts";\nimport "./q.ts";\nexport type P = 1;\n',
      "src/payments/calendar/c.ts": 'import "./d.ts";\nexport type C = 1;\n',
      "src/payments/calendar/d.ts":
        'import type { E } from "#src/payments/order/e.ts";\nexport type D = E;\n',
      "src/payments/order/e.ts": "export type E = 1;\n",
      "src/payments/order/o.ts":
        'import type { C } from "#src/payments/calendar/c.ts";\nexport type O = C;\n',
    },
    ["src/payments/calendar/d.ts: folder upwards"],
  ],
  [
    "a folder imports a file of its room that leads to one of the room's folders",
    {
      "src/payments/p.ts": 'import "./order/o.ts";\nimport "./q.ts";\nexport type P = 1;\n',
      "src/payments/order/o.ts":
        'import type { W } from "#src/payments/w.ts";\nexport type O = W;\n',
      "src/payments/w.ts": 'import "./v.ts";\nexport type W = 1;\n',
      "src/payments/v.ts": 'import "./calendar/c.ts";\nexport type V = 1;\n',
      "src/payments/calendar/c.ts": "export type C = 1;\n",
    },
    ["src/payments/w.ts: both sides"],
  ],
  [
    "a folder imports its subfolder, which imports another of its files",
    {
      "src/payments/p.ts": 'import "./order/o.ts";\nimport "./q.ts";\nexport type P = 1;\n',
      "src/payments/order/o.ts": 'import "./part/c.ts";\nexport type O = 1;\n',
      "src/payments/order/part/c.ts":
        'import type { W } from "#src/payments/order/w.ts";\nexport type C = W;\n',
      "src/payments/order/w.ts": "export type W = 1;\n",
    },
    ["src/payments/order/o.ts: both ways"],
  ],
  [
    "a folder imports a file of the folder above it that leads to another folder in there",
    {
      "src/payments/p.ts": 'import "./order/part/o.ts";\nimport "./q.ts";\nexport type P = 1;\n',
      "src/payments/order/part/o.ts":
        'import type { W } from "#src/payments/order/w.ts";\nexport type O = W;\n',
      "src/payments/order/w.ts": 'import "./other/c.ts";\nexport type W = 1;\n',
      "src/payments/order/other/c.ts": "export type C = 1;\n",
    },
    ["src/payments/order/w.ts: both sides"],
  ],
  [
    "a folder of a room is not listed",
    {
      "src/payments/p.ts": 'import "./attic/a.ts";\nimport "./q.ts";\nexport type P = 1;\n',
      "src/payments/attic/a.ts": "export type A = 1;\n",
    },
    ["src/payments/p.ts: unknown folder"],
  ],
  [
    "a room is not listed",
    {
      "src/server/open.ts": `${sound["src/server/open.ts"]}import "#src/attic/a.ts";\n`,
      "src/attic/a.ts": "export type A = 1;\n",
    },
    ["src/server/open.ts: unknown room"],
  ],
  [
    "the product imports a test",
    { "src/lib/leaf.ts": 'import "#test/t.ts";\n', "test/t.ts": "export type T = 1;\n" },
    ["src/lib/leaf.ts: product imports tests"],
  ],
  [
    "the folder of an API version imports another version's, in another room too",
    {
      "src/accounts/account-versions.ts":
        'import "./versions/aisp-v3.1/v.ts";\nexport type L = 1;\n',
      "src/accounts/a.ts": 'import "./account-versions.ts";\nexport type A = 1;\n',
      "src/accounts/versions/aisp-v3.1/v.ts":
        'import "#src/standard/aisp-v4.0/w.ts";\nexport type V = 1;\n',
      "src/standard/aisp-v4.0/w.ts": "export type W = 1;\n",
    },
    ["src/accounts/versions/aisp-v3.1/v.ts: version imports version"],
  ],
  [
    "a file that is no list of versions imports a type of a version",
    {
      "src/accounts/a.ts":
        'import type { W } from "#src/standard/aisp-v4.0/w.ts";\nexport type A = W;\n',
      "src/standard/aisp-v4.0/w.ts": "export type W = 1;\n",
    },
    ["src/accounts/a.ts: version outside its list"],
  ],
  [
    "the product imports a library for its callers",
    {
      "src/payments/q.ts": 'import "#packages/client/src/c.ts";\nexport type Q = 1;\n',
      "packages/client/src/c.ts": "export type C = 1;\n",
    },
    ["src/payments/q.ts: product imports library"],
  ],
  [
    "a library imports the product",
    { "packages/client/src/c.ts": 'import "#src/payments/q.ts";\nexport type C = 1;\n' },
    ["packages/client/src/c.ts: library imports product"],
  ],
  ["two files import each other's types", circle, ["src/payments/p.ts: circle"]],
  [
    "no import leads from main to a file",
    { "src/payments/lost.ts": 'import "./q.ts";\n' },
    ["src/payments/lost.ts: unreached"],
  ],
  [
    "a file imports nothing and nothing imports it",
    { "src/payments/lost.ts": "export type Lost = 1;\n" },
    ["src/payments/lost.ts: orphan", "src/payments/lost.ts: unreached"],
  ],
];

test("valid imports have no findings", async () => {
  assert.deepEqual(await findingsOf({}), []);
});

test("a list of versions imports each version, and a version imports its own folders", async () => {
  const listed: Tree = {
    "src/accounts/account-versions.ts": 'import "./versions/aisp-v4.0/v.ts";\nexport type L = 1;\n',
    "src/accounts/a.ts": 'import "./account-versions.ts";\nexport type A = 1;\n',
    "src/accounts/versions/aisp-v4.0/v.ts":
      'import "#src/standard/aisp-v4.0/w.ts";\nexport type V = 1;\n',
    "src/standard/aisp-v4.0/w.ts": "export type W = 1;\n",
  };
  assert.deepEqual(await findingsOf(listed), []);
});

for (const [title, tree, expected] of bad) {
  test(`the import check fails when ${title}`, async () => {
    assert.deepEqual((await findingsOf(tree)).sort(), expected);
  });
}

test("a known circle is a finding only once it no longer exists", async () => {
  const known = ["src/payments/p.ts", "src/payments/q.ts"];
  assert.deepEqual(await findingsOf(circle, known), []);
  assert.deepEqual(await findingsOf({}, known), ["src/payments/p.ts: this circle is gone"]);
});
