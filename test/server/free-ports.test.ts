import assert from "node:assert/strict";
import { test } from "node:test";
import { freePorts } from "#src/server/listeners/free-ports.ts";

test("ports that replace port 0 are all different", async () => {
  const ports = await freePorts("127.0.0.1", 500);
  assert.equal(new Set(ports).size, 500);
});
