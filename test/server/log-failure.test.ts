import assert from "node:assert/strict";
import { test } from "node:test";
import { logFailure } from "#src/server/routes/register-auth.ts";

test("a refusal of the authorization server is logged without a stack trace, a failure with one", () => {
  const lines: { level: string; details: Record<string, unknown> }[] = [];
  const log = {
    info: (details: object) => void lines.push({ level: "info", details: { ...details } }),
    error: (details: object) => void lines.push({ level: "error", details: { ...details } }),
  };
  const error = new Error("client authentication failed");
  const facts = { path: "/token", clientId: null, error, detail: null, reference: "ref" };
  for (const event of ["grant.error", "server_error"]) {
    logFailure(log as never, { ...facts, event } as never);
  }
  const [refused, failed] = lines;
  assert.equal(refused?.level, "info");
  assert.equal(refused?.details.reason, error.message);
  assert.equal(JSON.stringify(refused).includes("log-failure.test"), false);
  assert.equal(failed?.level, "error");
  assert.equal(failed?.details.err, error);
});
