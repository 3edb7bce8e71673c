// Loaded into the process of a bank before the bank itself (`--import`). Measures how long the
// event loop stops, and records which regular expressions run on long strings, and which routes the
// bank's listeners have. Listens at WATCH_PORT: `/begin` begins a measurement, and any other path
// ends it and answers with it.
import { subscribe } from "node:diagnostics_channel";
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";
import type { FastifyInstance } from "fastify";

/** What happened in the process while it was measured. */
export type Watched = {
  /** The longest stop of the event loop, in milliseconds. */
  longestMs: number;
  /** The most time that its thread worked in one turn, whatever other processes did meanwhile. */
  busiestMs: number;
  /** The expressions that ran on long strings since the start, as source and flags. */
  expressions: [source: string, flags: string][];
  /** The routes of each application that listens. */
  routes: string[][];
};

/** The routes, such as `GET /bank`, in the order of the applications. */
const routes: Set<string>[] = [];

const intervalMs = 1;
const longText = 5000;

const expressions = new Map<string, [source: string, flags: string]>();
if (process.env.WATCH_EXPRESSIONS) {
  const { exec } = RegExp.prototype;
  // `test`, `match`, `replace` and `split` call it too
  RegExp.prototype.exec = function (text) {
    if (typeof text === "string" && text.length > longText) {
      // `split` adds the flag y
      const flags = this.flags.replace("y", "");
      expressions.set(`/${this.source}/${flags}`, [this.source, flags]);
    }
    return exec.call(this, text);
  };
}

subscribe("fastify.initialization", (message) => {
  const own = new Set<string>();
  routes.push(own);
  (message as { fastify: FastifyInstance }).fastify.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) own.add(`${one} ${url}`);
  });
});

// threads of the process load this module too
if (isMainThread) watch();

function watch(): void {
  const stops = monitorEventLoopDelay({ resolution: intervalMs });
  stops.enable();
  let busiestMs: number | null = null;
  let before = process.threadCpuUsage();
  const turn = (): void => {
    if (busiestMs === null) return;
    const { user, system } = process.threadCpuUsage(before);
    busiestMs = Math.max(busiestMs, (user + system) / 1000);
    before = process.threadCpuUsage();
    setImmediate(turn);
  };
  const server = createServer(({ url }, response) => {
    // a question that comes right after a stop is answered when the timer has measured it
    setTimeout(() => {
      const longestMs = stops.count === 0 ? 0 : stops.max / 1e6 - intervalMs;
      const watched = {
        longestMs,
        busiestMs: busiestMs ?? 0,
        expressions: [...expressions.values()],
        routes: routes.map((own) => [...own]),
      };
      stops.reset();
      before = process.threadCpuUsage();
      busiestMs = url === "/begin" ? 0 : null;
      turn();
      response.end(JSON.stringify(watched satisfies Watched));
    }, 2 * intervalMs);
  });
  server.listen(Number(process.env.WATCH_PORT), "127.0.0.1");
  server.unref();
}
