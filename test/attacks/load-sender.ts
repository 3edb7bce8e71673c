// A process of its own that sends requests, so that it does not slow down what measures them.
import * as http from "node:http";
import * as https from "node:https";
import { setTimeout as delay } from "node:timers/promises";

/** Requests that a sender repeats. */
export type Stream = {
  name: string;
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
};

/** What a sender does. */
export type Orders = {
  streams: readonly Stream[];
  /** The certificate of its connections; null for connections without one. */
  tls: { ca: string; key?: string; cert?: string };
  seconds: number;
  /** Requests in progress for each stream. */
  lanes: number;
  /** Requests per second in total, whatever the answers; null for as many as the lanes allow. */
  perSecond: number | null;
};

/** The answers to each stream, by status; `none` is a connection that failed. */
export type Sent = Record<string, Record<string, number>>;

process.once("message", (orders) => {
  void send(orders as Orders).then((sent) => {
    process.send?.(sent);
    process.disconnect?.();
  });
});

async function send(orders: Orders): Promise<Sent> {
  const { streams, lanes, perSecond, seconds, tls } = orders;
  const maxSockets = lanes * streams.length;
  const agents = {
    "http:": new http.Agent({ keepAlive: true, maxSockets }),
    "https:": new https.Agent({ keepAlive: true, maxSockets, ...tls }),
  };
  const sent: Sent = Object.fromEntries(streams.map(({ name }) => [name, {}]));
  const end = performance.now() + seconds * 1000;
  const once = async (stream: Stream): Promise<void> => {
    const status = await answerOf(stream, agents);
    const counts = sent[stream.name] ?? {};
    counts[status] = (counts[status] ?? 0) + 1;
  };
  if (perSecond === null) {
    const lane = async (stream: Stream): Promise<void> => {
      while (performance.now() < end) await once(stream);
    };
    await Promise.all(streams.flatMap((one) => Array.from({ length: lanes }, () => lane(one))));
  } else {
    await sendAtRate(streams, { perSecond, end, most: maxSockets }, once);
  }
  for (const agent of Object.values(agents)) agent.destroy();
  return sent;
}

/** Sends at a rate, whether or not the earlier requests have been answered. */
async function sendAtRate(
  streams: readonly Stream[],
  { perSecond, end, most }: { perSecond: number; end: number; most: number },
  once: (stream: Stream) => Promise<void>,
): Promise<void> {
  const waiting = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let number = 0; performance.now() < end; ) {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    for (; number < due; number += 1) {
      const stream = streams[number % streams.length];
      if (!stream || waiting.size >= most) continue;
      const one: Promise<void> = once(stream).then(() => void waiting.delete(one));
      waiting.add(one);
    }
    await delay(2);
  }
  await Promise.all(waiting);
}

function answerOf(
  { url, method, headers, body }: Stream,
  agents: { "http:": http.Agent; "https:": https.Agent },
): Promise<string> {
  const isTls = url.startsWith("https:");
  const agent = agents[isTls ? "https:" : "http:"];
  return new Promise((resolve) => {
    const request = (isTls ? https : http).request(url, { method, headers, agent }, (response) => {
      response.on("error", () => resolve("none"));
      response.on("end", () => resolve(String(response.statusCode)));
      response.resume();
    });
    request.on("error", () => resolve("none"));
    request.end(body);
  });
}
