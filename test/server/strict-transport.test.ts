import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { requireTransportSecurity } from "#src/server/listeners/strict-transport.ts";

/** Returns the header of a normal response, and of one that is written without the framework. */
async function headersOf(publicUrl: string): Promise<unknown[]> {
  const app = Fastify();
  requireTransportSecurity(app, publicUrl);
  app.get("/page", async () => "page");
  app.get("/raw", async (_request, reply) => {
    reply.hijack();
    reply.raw.end("raw");
  });
  const answers = await Promise.all([app.inject("/page"), app.inject("/raw")]);
  await app.close();
  return answers.map(({ headers }) => headers["strict-transport-security"]);
}

test("every response of a bank with TLS has Strict-Transport-Security", async () => {
  const year = "max-age=31536000";
  assert.deepEqual(await headersOf("https://bank.example"), [year, year]);
});

test("without TLS, or on this machine's own name, no Strict-Transport-Security is sent", async () => {
  for (const url of ["http://bank.example", "https://localhost:8080", "https://127.0.0.1:8080"]) {
    assert.deepEqual(await headersOf(url), [undefined, undefined], url);
  }
});
