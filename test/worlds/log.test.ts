import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const program = fileURLToPath(new URL("./logging-host.ts", import.meta.url));

const path = "/.well-known/openid-configuration";

type Line = { world?: string; msg: string; route?: string };

test("each log line of a world names the world, and those of the sandbox name none", async () => {
  const { NODE_TEST_CONTEXT: _runner, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  const lines = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);
  const answered = lines.filter(({ msg, route }) => msg === "answered" && route === path);
  assert.deepEqual(
    answered.map(({ world }) => world),
    ["left", "right", undefined],
  );
});
