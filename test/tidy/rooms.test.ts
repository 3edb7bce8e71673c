import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { migrationRooms, rooms } from "#scripts/rooms.ts";

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);

const documented = [
  ...readFileSync(at("docs/architecture.md"), "utf8").matchAll(
    /^\| `([\w-]+)\/` \| (\d+) \| .* \| ([`\w, ]*)\|$/gm,
  ),
].map(([, room = "", step = "", tables = ""]) => ({
  room,
  step: Number(step),
  tables: [...tables.matchAll(/\w+/g)].map(([name]) => name).sort(),
}));

test("the architecture page lists every room with its step and its tables", () => {
  const known = Object.entries(rooms).map(([room, { step, tables = [] }]) => ({
    room,
    step,
    tables: [...tables].sort(),
  }));
  const byName = (a: { room: string }, b: { room: string }) => a.room.localeCompare(b.room);
  assert.deepEqual(documented.sort(byName), known.sort(byName));
});

test("every folder of src is a known room", () => {
  const folders = readdirSync(at("src"), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  );
  assert.deepEqual(folders.map(({ name }) => name).sort(), Object.keys(rooms).sort());
});

test("every migration has an owner", () => {
  assert.deepEqual(readdirSync(at("migrations")).sort(), Object.keys(migrationRooms).sort());
});
