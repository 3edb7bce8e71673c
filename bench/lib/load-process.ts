import { connect } from "node:net";
import { type Load, type LoadResult, uniqueText } from "./load.ts";

// Reads only the status and length of a response, so that the load costs little beside the server.
const headEnd = Buffer.from("\r\n\r\n");

type Asked = Omit<Load, "seconds">;

// load.ts sends the messages. The first is the load. Each further message is a number of seconds,
// and starts a run that takes so long.
process.once("message", (message) => {
  const load = message as Asked;
  const turns = Array.from({ length: load.connections }, (_, index) => index);
  process.on("message", async (seconds) => {
    process.send?.(await measure(load, turns, seconds as number));
  });
});

/** One run: the time at which it ends, and the measurements so far. */
type Run = { until: number; latencies: number[]; failures: number };

async function measure(load: Asked, turns: number[], wanted: number): Promise<LoadResult> {
  const startedAt = performance.now();
  const run: Run = { until: startedAt + wanted * 1000, latencies: [], failures: 0 };
  await Promise.all(turns.map((_, index) => keepAsking(load, turns, index, run)));
  const seconds = (performance.now() - startedAt) / 1000;
  const latencies = run.latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    requests: latencies.length,
    requestsPerSecond: latencies.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    failures: run.failures,
  };
}

// `turns` has the next turn of each connection, so that a run continues where the last one ended.
function keepAsking(
  { port, path, headers, targets, body, connections, perSecond = 0 }: Asked,
  turns: number[],
  index: number,
  run: Run,
): Promise<void> {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const single = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines}\r\n`);
  const started = Math.floor(performance.timeOrigin).toString(36).slice(-4);
  const nextRequest = () => {
    const turn = turns[index] ?? index;
    turns[index] = turn + connections;
    if (body !== undefined) {
      const sent = body.replace(uniqueText, started + turn.toString(36).padStart(4, "0"));
      const length = `content-length: ${Buffer.byteLength(sent)}\r\n`;
      return `POST ${path} HTTP/1.1\r\n${lines}${length}\r\n${sent}`;
    }
    const target = targets?.[turn % targets.length];
    if (!target) return single;
    return `GET ${target.path} HTTP/1.1\r\nauthorization: Bearer ${target.token}\r\n${lines}\r\n`;
  };
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let sentAt = 0;
    let missing = -1;
    let head: Buffer = Buffer.alloc(0);
    const interval = perSecond > 0 ? (1000 * connections) / perSecond : 0;
    let dueAt = performance.now() + (interval * index) / connections;
    const ask = () => {
      const now = performance.now();
      if (now >= run.until) {
        socket.destroy();
        return resolve();
      }
      if (now < dueAt && interval > 0) return void setTimeout(ask, dueAt - now);
      missing = -1;
      head = Buffer.alloc(0);
      sentAt = interval > 0 ? dueAt : now;
      dueAt += interval;
      socket.write(nextRequest());
    };
    socket.setNoDelay(true);
    socket.on("connect", ask);
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => {
      if (missing >= 0) {
        missing -= chunk.length;
      } else {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
        const end = head.indexOf(headEnd);
        if (end < 0) return;
        const text = head.toString("latin1", 0, end);
        const length = /content-length: (\d+)/i.exec(text)?.[1];
        if (length === undefined) return void socket.destroy(new Error("no content-length"));
        if (!/^HTTP\/1\.1 20[01]/.test(text)) run.failures++;
        missing = Number(length) - (head.length - end - headEnd.length);
      }
      if (missing > 0) return;
      run.latencies.push(performance.now() - sentAt);
      ask();
    });
  });
}
