import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertFault, bearer, type Caller, openCaller, things } from "#test/http/caller.ts";
import { mountSmallDisk } from "./small-disk.ts";

// Full disks under PostgreSQL take minutes: `npm run soak -- disk-full`.

const disk = mountSmallDisk(4);
const skip = typeof disk === "string" ? disk : false;
const { TMPDIR } = process.env;
let caller: Caller;
before(async () => {
  caller = await openCaller();
});
after(async () => {
  await caller?.bank.close();
  if (typeof disk !== "string") disk.remove();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

test("an upload gets 503 while the temporary folder is full", {
  skip,
}, async () => {
  assert.ok(typeof disk !== "string");
  process.env.TMPDIR = disk.folder;
  const read = () => caller.call("GET", `${things}/files/2500001`, bearer(caller.payToken));
  disk.fill(200_000);
  const refused = await read();
  assertFault(refused, 503, "U000");
  assert.match(String(refused.headers["retry-after"]), /^\d+$/);
  disk.free();
  const answer = await read();
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.rawPayload.length, 2_500_001);
});
