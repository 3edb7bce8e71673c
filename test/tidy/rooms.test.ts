import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { readGlossary } from "#scripts/glossary.ts";
import { migrationRooms, rooms } from "#scripts/rooms.ts";
import { readSourceFiles } from "#scripts/source-files.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);

const documented = [
  ...readFileSync(at("docs/architecture.md"), "utf8").matchAll(
    /^\| `([\w-]+)\/` \| (\d+) \| .* \|$/gm,
  ),
].map(([, room = "", step]) => [room, Number(step)]);

test("the architecture page lists every room with its step", () => {
  const known = Object.entries(rooms).map(([room, { step }]) => [room, step]);
  assert.deepEqual(documented.sort(), known.sort());
});

const glossary = readGlossary(readFileSync(at("docs/architecture.md"), "utf8"));

test("the glossary gives each term once", () => {
  const terms = glossary.map(({ term }) => term);
  assert.ok(terms.length > 30);
  assert.deepEqual(terms, [...new Set(terms)]);
});

test("every type that the glossary names is exported by one file", () => {
  const named = glossary.flatMap(({ meaning }) =>
    [...meaning.matchAll(/`([A-Z]\w+)`/g)].map(([, name = ""]) => name),
  );
  assert.ok(named.length > 5);
  const texts = readSourceFiles("src/*.ts").map(({ text }) => text);
  for (const name of named) {
    const declared = new RegExp(`^export (?:type|class) ${name}\\b`, "m");
    assert.equal(texts.filter((text) => declared.test(text)).length, 1, name);
  }
});

test("every folder of src is a known room", () => {
  const folders = readdirSync(at("src"), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  );
  assert.deepEqual(folders.map(({ name }) => name).sort(), Object.keys(rooms).sort());
});

test("every migration has an owner", () => {
  const files = readdirSync(at("migrations")).filter((file) => file.endsWith(".sql"));
  assert.deepEqual(files.sort(), Object.keys(migrationRooms).sort());
});

test("docs/payments-in-the-code.md names a file in each payments folder that explains the folder in a comment", () => {
  const page = readFileSync(at("docs/payments-in-the-code.md"), "utf8");
  const listed = [...page.matchAll(/^\| `([\w-]+)\/` \| `([\w.-]+\.ts)` \|/gm)];
  const folders = readdirSync(at("src/payments"), { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => name);
  const named = listed.map(([, folder]) => folder);
  assert.deepEqual(named, rooms.payments?.folders, "in the order of imports");
  assert.deepEqual(named.toSorted(), folders.sort());
  for (const [, folder, file] of listed) {
    const text = readFileSync(at(`src/payments/${folder}/${file}`), "utf8");
    assert.match(text.split("/**", 1)[0] ?? "", /(?:^\/\/ .*\n){3}/m, `${folder}/${file}`);
  }
});

test("docs/first-calls.md and docs/payments.md name every payment kind", () => {
  const demo =
    readFileSync(at("docs/first-calls.md"), "utf8").match(/^ *\| `--kind KIND` \|.*$/m)?.[0] ?? "";
  const page = readFileSync(at("docs/payments.md"), "utf8");
  const [, table = ""] = page.split(/^\| Kind \|.*\n.*\n/m);
  const kinds = paymentKinds.map(({ id }) => id).sort();
  const ids = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, id]) => id);
  assert.deepEqual(ids(demo, /`([a-z]+(?:-[a-z]+)+)`/g).sort(), kinds);
  assert.deepEqual(ids(table, /^\| `([\w-]+)`/gm).sort(), kinds);
});
