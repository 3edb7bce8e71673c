// A bank with an OpenTelemetry SDK of its own. Source: decision 0070
import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { context, propagation, SpanStatusCode, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import type { Bank } from "#src/bank/port.ts";
import { ConfigError } from "#src/config/config.ts";
import { connectCore } from "#src/connector/http-core.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import { checkNamesOf } from "#src/http/admit.ts";
import { present } from "#src/lib/assert.ts";
import { type Answer, pathOf } from "#src/sandbox/test-tpp/tpp-client.ts";
import { inSpan } from "#src/server/tracing/span.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodge, submit } from "#test/journeys/payments.ts";
import { deadlinesMs, reachOverHttp } from "#test/over-http.ts";
import { until } from "#test/until.ts";
import { openWorldsHost } from "#test/worlds/worlds-bed.ts";
import type * as Sdk from "./memory-sdk.ts";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
let folder: string;
let module: string;
let sdk: typeof Sdk;
let bank: TestBank;
const forget = (): void => {
  trace.disable();
  context.disable();
  propagation.disable();
};

const spans = (): ReadableSpan[] => sdk.exporter.getFinishedSpans();
const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
const childrenOf = (parent: ReadableSpan): ReadableSpan[] =>
  spans().filter(({ parentSpanContext }) => parentSpanContext?.spanId === idOf(parent));

/** The span of a request, by the interaction id of its answer. */
async function spanOf(answer: Answer): Promise<ReadableSpan> {
  const id = answer.headers["x-fapi-interaction-id"];
  const found = await until(
    () => spans().find(({ attributes }) => attributes["aldgate.interaction_id"] === id),
    (span) => span !== undefined,
  );
  return present(found, "the span");
}

test("a module that registers no SDK is refused, and says what it must do", async () => {
  const given = { TRACING_MODULE: fileOf("../until.ts") };
  await assert.rejects(
    openBank(given),
    (error) =>
      error instanceof ConfigError &&
      /^TRACING_MODULE: .+until\.ts registers no provider of tracers\. It must /.test(
        error.message,
      ),
  );
  const absent = { TRACING_MODULE: fileOf("absent.ts") };
  await assert.rejects(openBank(absent), /TRACING_MODULE: .+absent\.ts cannot be loaded/);
});

describe("with an SDK", () => {
  before(async () => {
    // a bank's SDK is installed beside its module, with its own copy of the interface
    folder = mkdtempSync(join(tmpdir(), "aldgate-tracing-"));
    const packages = "node_modules/@opentelemetry";
    cpSync(fileOf(`../../${packages}`), join(folder, packages), { recursive: true });
    module = join(folder, "sdk.ts");
    copyFileSync(fileOf("memory-sdk.ts"), module);
    const given = { TRACING_MODULE: module };
    bank = await openBank(given, undefined, undefined, { reachBank: reachOverHttp });
    sdk = await import(pathToFileURL(module).href);
  });
  after(async () => {
    await bank?.close();
    forget();
    rmSync(folder, { recursive: true, force: true });
  });
  const secret = "REMITTANCE-OF-A-CUSTOMER";

  test("an order has spans of its checks and statements, and the engine of its calls", async () => {
    const client = await bank.createTpp();
    const initiation = { RemittanceInformation: { Unstructured: [secret] } };
    const lodged = await lodge(client, { initiation });
    const { consentId } = lodged;
    const approval = { scope: "payments", consentId, customer: "amara" } as const;
    const tokens = await bank.approve(client, approval);
    const answer = await submit(client, lodged, tokens.access_token);
    expectStatus(answer, 201);
    const span = await spanOf(answer);
    assert.equal(span.name, "POST /api/open-banking/v4.0/pisp/domestic-payments");
    assert.equal(span.attributes["http.response.status_code"], 201);
    assert.equal(span.attributes["aldgate.client_id"], client.tpp.clientId);
    assert.equal(span.attributes["aldgate.consent_id"], consentId);
    const children = childrenOf(span);
    const operation = bank.operations.find(
      ({ api, method, path }) =>
        api.id === pispV40.id && method === "POST" && path === "/domestic-payments",
    );
    const named = children.filter(({ name }) => name.startsWith("check "));
    assert.deepEqual(
      named.map(({ name }) => name.slice("check ".length)),
      checkNamesOf(present(operation, "the operation")),
    );
    const statements = children.filter(({ attributes }) => attributes["db.query.text"]);
    assert.ok(statements.length >= 1, children.map(({ name }) => name).join());
    const executed = await until(
      () => spans().find(({ name }) => name === "core execute"),
      (found) => found !== undefined,
    );
    assert.equal(present(executed, "the call").parentSpanContext, undefined);
  });

  test("a refused request's span has its codes, and the check that refused has failed", async () => {
    const client = await bank.createTpp();
    const path = `${pathOf(pispV40)}/domestic-payment-consents`;
    const token = await client.clientToken("payments");
    const answer = await client.call({ path, token, body: { Data: {} } });
    expectStatus(answer, 400);
    const span = await spanOf(answer);
    assert.equal(span.status.code, SpanStatusCode.UNSET); // the fault is the caller's
    assert.deepEqual(span.attributes["aldgate.codes"], ["U004"]);
    const failed = childrenOf(span).filter(({ status }) => status.code === SpanStatusCode.ERROR);
    assert.equal(failed.length, 1);
  });

  test("a request that is not recorded makes no spans of its statements", async () => {
    sdk.sampling.records = false;
    sdk.sampling.asked.length = 0;
    try {
      const client = await bank.createTpp();
      await client.clientToken("payments");
    } finally {
      sdk.sampling.records = true;
    }
    assert.ok(sdk.sampling.asked.includes("POST /token"));
    const calls = sdk.sampling.asked.filter((name) => !/^(?:core |[A-Z]+ )/.test(name));
    assert.deepEqual(calls, []);
  });

  test("requests outside the APIs have spans, and a caller cannot choose a trace", async () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const answer = await fetch(`${bank.publicUrl}/.well-known/openid-configuration`, {
      headers: { traceparent },
    });
    assert.equal(answer.status, 200);
    const name = "GET /.well-known/openid-configuration";
    const span = await until(
      () => spans().find((one) => one.name === name),
      (found) => found !== undefined,
    );
    assert.equal(present(span, name).parentSpanContext, undefined);
    const tokens = await until(
      () => spans().filter((one) => one.name === "POST /token"),
      (found) => found.length > 0,
    );
    assert.ok(childrenOf(present(tokens[0], "POST /token")).length > 0);
  });

  test("a core over HTTP is told the trace of the call", async () => {
    const received: unknown[] = [];
    const about = { parts: ["account-access"] };
    const own = { verify: async () => true, exchangeCurrencies: [], about } as unknown as Bank;
    const app = serveCore({ bank: own, name: "A core", tariff: [] });
    app.addHook("preHandler", async ({ headers }) => void received.push(headers.traceparent));
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const { core } = await connectCore({ url, deadlinesMs, callsAtOnce: 2, sign: null });
    const traceId = await inSpan("a request", {}, async () => {
      await core.verify("c", "1");
      return trace.getActiveSpan()?.spanContext().traceId;
    });
    await core.close?.();
    await app.close();
    assert.match(String(received.at(-1)), new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  });

  test("regular work has no spans of statements, and no span has a customer's data", () => {
    const roots = spans().filter(({ parentSpanContext }) => parentSpanContext === undefined);
    for (const { name } of roots) assert.match(name, /^(?:core |a request|[A-Z]+ )/);
    const text = JSON.stringify(
      spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    for (const one of [secret, "Acme Supplies", "00990000000001", "12.34", "amara"]) {
      assert.ok(!text.includes(one), one);
    }
  });

  test("a world is not traced, and its end leaves the SDK open", async () => {
    const host = await openWorldsHost({ TRACING_MODULE: module });
    const { publicUrl } = await host.world("apart");
    const path = "/nothing-is-here";
    for (const base of [host.publicUrl, publicUrl]) await fetch(base + path);
    const count = () => spans().filter(({ name }) => name === "GET unknown path").length;
    await until(count, (seen) => seen > 0);
    await host.control("DELETE", "/worlds/apart");
    assert.deepEqual([count(), sdk.closings.count], [1, 0]);
    await host.close();
    assert.equal(sdk.closings.count, 1);
  });

  test("the bank closes the SDK last", async () => {
    await bank.close();
    assert.equal(sdk.closings.count, 2);
  });
});
