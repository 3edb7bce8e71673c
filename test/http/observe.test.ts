import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fastify from "fastify";
import {
  createMetrics,
  createReadiness,
  loggerOptions,
  observeScope,
  registerHealth,
} from "#src/http/connection/observe.ts";
import { addConsent, type FakeBank, openFakeBank } from "./fake-bank.ts";

const log: string[] = [];
let bank: FakeBank;

before(async () => {
  bank = await openFakeBank({ log });
});
after(() => bank.close());

test("the log line of a request has only route, status, call and client", async () => {
  const { grantId } = await addConsent(bank);
  const token = await bank.addToken({ kind: "authorization_code", scope: "accounts", grantId });
  log.length = 0;
  const answer = await bank.app.inject({
    url: "/api/open-banking/v3.1/view/views?secret=1",
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(log.length, 1);
  const line = JSON.parse(log[0] ?? "");
  assert.deepEqual(
    { ...line, time: 0, milliseconds: 0, reqId: 0 },
    {
      level: "info",
      time: 0,
      reqId: 0,
      method: "GET",
      route: "/api/open-banking/v3.1/view/views",
      status: 200,
      milliseconds: 0,
      interactionId: answer.headers["x-fapi-interaction-id"],
      clientId: bank.tpp.clientId,
      msg: "answered",
    },
  );
});

test("a failure is logged with its interaction id, but without the driver's details", async () => {
  const token = await bank.addToken({});
  log.length = 0;
  const answer = await bank.app.inject({
    url: "/api/open-banking/v4.0/thing/broken",
    headers: { authorization: `Bearer ${token}` },
  });
  const failure = JSON.parse(log[0] ?? "");
  assert.equal(failure.level, "error");
  assert.equal(failure.interactionId, answer.headers["x-fapi-interaction-id"]);
  assert.match(failure.err.stack, /fake-operations/);
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const app = fastify({ logger: { ...(loggerOptions("info") as object), stream } });
  const error = Object.assign(new Error("duplicate key"), {
    code: "23505",
    detail: "Key (name)=(Ann)",
  });
  app.log.error({ err: error }, "failed");
  assert.deepEqual(Object.keys(JSON.parse(lines[0] ?? "").err), [
    "type",
    "message",
    "stack",
    "code",
  ]);
});

test("a process without its database or with a schema of another version is not ready, and one whose engine is late is", async () => {
  const app = fastify();
  let lag: number | null = 5;
  let gone = false;
  let schema: string | null = null;
  const readiness = createReadiness({
    database: {
      probe: async () => {
        if (gone) throw new Error("connection refused at 10.0.0.1");
      },
    },
    refuseSchema: async () => schema,
    engineLagSeconds: async () => lag,
    maximumLagSeconds: 60,
    sharedMilliseconds: 0,
    listDegraded: () => (lag === 61 ? ["execute"] : []),
    onFailure: () => undefined,
  });
  registerHealth(app, readiness, { figures: true });
  const ready = () => app.inject("/health/ready");
  const degraded: string[] = [];
  assert.deepEqual((await ready()).json(), { status: "ready", engineLagSeconds: 5, degraded });
  lag = 61;
  const behind = await ready();
  assert.equal(behind.statusCode, 200);
  assert.deepEqual(behind.json(), {
    status: "engine behind",
    engineLagSeconds: 61,
    degraded: ["execute"],
  });
  lag = null;
  assert.equal((await ready()).statusCode, 200);
  schema = "it needs 0.4.0";
  const newer = await ready();
  assert.equal(newer.statusCode, 503);
  assert.deepEqual(newer.json(), {
    status: "schema not served",
    engineLagSeconds: null,
    degraded: ["schema"],
    schema,
  });
  gone = true;
  const answer = await ready();
  assert.equal(answer.statusCode, 503);
  assert.deepEqual(answer.json(), {
    status: "database unreachable",
    engineLagSeconds: null,
    degraded: ["database"],
  });
  assert.equal((await app.inject("/health/live")).statusCode, 200);
});

test("public readiness is one word, and a hundred callers share one check", async () => {
  const app = fastify();
  let checks = 0;
  const readiness = createReadiness({
    database: {
      probe: async () => {
        checks += 1;
      },
    },
    engineLagSeconds: async () => 5,
    maximumLagSeconds: 60,
    onFailure: () => undefined,
  });
  registerHealth(app, readiness, { figures: false });
  const answers = await Promise.all(Array.from({ length: 100 }, () => app.inject("/health/ready")));
  for (const answer of answers) assert.deepEqual(answer.json(), { status: "ready" });
  assert.equal(checks, 1);
});

test("all banks of a process share the metrics of the process", async () => {
  const [{ registry: one }, second] = [createMetrics(), createMetrics()];
  const { registry: other } = second;
  for (const name of ["nodejs_gc_duration_seconds", "aldgate_event_loop_delay_seconds"]) {
    assert.ok(one.getSingleMetric(name), name);
    assert.equal(one.getSingleMetric(name), other.getSingleMetric(name), name);
  }
  assert.match(await second.render(), /^process_resident_memory_bytes \d+/m);
});

test("each bank has its own durations, and no turn renders more than a hundred", async () => {
  const [measured, other] = [createMetrics(), createMetrics()];
  const apis = ["aisp-v4.0", "pages", "pisp-v4.0"];
  for (const api of apis) measured.answers(api, "op")(200, 0.03);
  measured.answers("pages", "op")(200, 0.03);
  for (let n = 0; n < 297; n += 1) measured.answers("events-v4.0", `op ${n}`)(200, 0.03);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (turns < 1000) setImmediate(count);
  };
  setImmediate(count);
  const text = await measured.render();
  assert.ok(turns >= 300 / 100, `${turns} turns`);
  turns = 1000;
  const name = "aldgate_request_duration_seconds";
  const lines = text.split("\n").filter((line) => line.includes(name));
  assert.deepEqual(
    lines.filter((line) => /^#|_count/.test(line) && !line.includes("events-v4.0")),
    [
      `# HELP ${name} Responses by operation and status, with the time from request head to response.`,
      `# TYPE ${name} histogram`,
      ...apis.map(
        (api) =>
          `${name}_count{api="${api}",operation="op",status="200"} ${api === "pages" ? 2 : 1}`,
      ),
    ],
  );
  assert.doesNotMatch(await other.render(), /_count\{api=/);
});

test("pages are measured by route, not by URL", async () => {
  const app = fastify();
  const metrics = createMetrics();
  void app.register(async (scope) => {
    observeScope(scope, metrics);
    scope.get("/page/:id", async () => "");
  });
  await app.inject("/page/secret?code=1");
  const text = await metrics.render();
  assert.match(text, /count\{api="pages",operation="GET \/page\/:id",status="200"\} 1/);
  assert.doesNotMatch(text, /secret/);
});

test("a request for an unknown path is logged and counted without its URL", async () => {
  const api = "/api/open-banking/v3.1/view";
  const cases = [
    ["GET", `${api}/secret`, 404, "unknown", "aisp-v3.1"],
    ["POST", `${api}/views`, 405, `${api}/views`, "aisp-v3.1"],
    ["GET", "/api/secret", 404, "unknown", "unknown"],
    ["GET", "/api/secret%zz", 404, "unknown", null],
  ] as const;
  for (const [method, url, status, route, counted] of cases) {
    const count = async (): Promise<number> => {
      const label = `api="${counted}",operation="unknown",status="${status}"`;
      const body = await bank.kit.metrics.render();
      return Number(body.split(`duration_seconds_count{${label}} `)[1]?.split("\n")[0] ?? 0);
    };
    const before = await count();
    log.length = 0;
    const answer = await bank.app.inject({ method, url: `${url}?secret=1` });
    assert.equal(answer.statusCode, status);
    assert.equal(log.length, 1, url);
    assert.doesNotMatch(log[0] ?? "", /secret/);
    const line = JSON.parse(log[0] ?? "");
    assert.deepEqual(
      [line.method, line.route, line.status, line.interactionId, line.msg],
      [method, route, status, answer.headers["x-fapi-interaction-id"], "answered"],
    );
    if (counted !== null) assert.equal(await count(), before + 1);
  }
});
