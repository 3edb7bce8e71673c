import { randomUUID } from "node:crypto";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { FlattenedSign, importPKCS8 } from "jose";
import type { OrderLoad, OrderLoadResult } from "./order-load.ts";

// Signs all orders before it sends the first, so that the load costs little compared with the bank.

const headEnd = "\r\n\r\n";
const base = "/api/open-banking/v4.0/pisp";
const claims = {
  issuedAt: "http://openbanking.org.uk/iat",
  issuer: "http://openbanking.org.uk/iss",
  trustAnchor: "http://openbanking.org.uk/tan",
};
const crit = Object.values(claims);

process.once("message", async (message) => {
  const load = message as OrderLoad; // sent by order-load.ts
  const requests = await signRequests(load);
  const part = Math.ceil(requests.length / (load.parts ?? 1));
  let sockets: Socket[] | undefined;
  process.on("message", async () => {
    sockets ??= await Promise.all(Array.from({ length: load.connections }, () => open(load)));
    const send = load.inWaves ? sendWaves : sendAll;
    const result = await send(sockets, requests.splice(0, part));
    process.send?.(result, () => requests.length === 0 && process.exit(0));
  });
  process.send?.("ready");
});

/** Signs the orders, on all cores. */
async function signRequests({ port, tpp, path, orders }: OrderLoad): Promise<Buffer[]> {
  const key = await importPKCS8(tpp.signing.privateKeyPem, "PS256");
  const understood = Object.fromEntries(crit.map((name) => [name, true]));
  const sign = async ({ token, body: unsigned }: OrderLoad["orders"][number]): Promise<Buffer> => {
    const body = Buffer.from(JSON.stringify(unsigned));
    const signed = await new FlattenedSign(body)
      .setProtectedHeader({
        alg: "PS256",
        kid: tpp.signing.kid,
        [claims.issuedAt]: Math.floor(Date.now() / 1000),
        [claims.issuer]: `${tpp.organisationId}/${tpp.softwareId}`,
        [claims.trustAnchor]: "openbanking.org.uk",
        crit,
      })
      .sign(key, { crit: understood });
    const head = [
      `POST ${base}${path} HTTP/1.1`,
      `host: localhost:${port}`,
      `authorization: Bearer ${token}`,
      "accept: application/json",
      "content-type: application/json",
      `content-length: ${body.length}`,
      `x-idempotency-key: ${randomUUID()}`,
      `x-fapi-interaction-id: ${randomUUID()}`,
      `x-jws-signature: ${signed.protected}..${signed.signature}`,
    ];
    return Buffer.concat([Buffer.from(head.join("\r\n") + headEnd), body]);
  };
  return Promise.all(orders.map(sign));
}

/** Sends an order on each connection, waits for all responses, and repeats. */
async function sendWaves(sockets: Socket[], requests: Buffer[]): Promise<OrderLoadResult> {
  const waves: OrderLoadResult[] = [];
  for (let first = 0; first < requests.length; first += sockets.length) {
    waves.push(await sendAll(sockets, requests.slice(first, first + sockets.length)));
  }
  const meanOf = (part: "p50" | "p99") =>
    waves.reduce((sum, wave) => sum + wave[part], 0) / waves.length;
  return {
    ordersPerSecond: waves.length / waves.reduce((sum, wave) => sum + 1 / wave.ordersPerSecond, 0),
    p50: meanOf("p50"),
    p99: meanOf("p99"),
    failures: waves.reduce((sum, { failures }) => sum + failures, 0),
    firstFailure: waves.find(({ failures }) => failures > 0)?.firstFailure ?? null,
  };
}

async function sendAll(sockets: Socket[], requests: Buffer[]): Promise<OrderLoadResult> {
  const latencies: number[] = [];
  const wrong: string[] = [];
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    sockets.map((socket) =>
      keepSending(
        socket,
        () => requests[next++],
        (answer, milliseconds) => {
          latencies.push(milliseconds);
          const right = answer.startsWith("HTTP/1.1 201") && /\r\nx-jws-signature: /i.test(answer);
          if (!right) wrong.push(answer);
        },
      ),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    ordersPerSecond: requests.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    failures: wrong.length,
    firstFailure: wrong[0] ?? null,
  };
}

function open({ port, tpp, secure }: OrderLoad): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { privateKeyPem: key, certificatePem: cert } = tpp.transport;
    const to = { port, host: "127.0.0.1", servername: "localhost" };
    const socket: Socket = secure
      ? connectSecurely({ ...to, key, cert, ca: tpp.caPem }, () => resolve(socket))
      : connectPlain(to, () => resolve(socket));
    socket.setNoDelay(true);
    socket.once("error", reject);
  });
}

/** Sends requests one after the other on a connection, and calls `seen` with every response. */
function keepSending(
  socket: Socket,
  take: () => Buffer | undefined,
  seen: (answer: string, milliseconds: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let text = "";
    const closed = () => reject(new Error("the bank closed the connection"));
    const send = () => {
      const request = take();
      if (!request) {
        socket.off("error", reject).off("close", closed).off("data", receive);
        return resolve();
      }
      text = "";
      sentAt = performance.now();
      socket.write(request);
    };
    const receive = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const end = text.indexOf(headEnd);
      if (end < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      if (length === undefined || text.length - end - headEnd.length < Number(length)) return;
      seen(text, performance.now() - sentAt);
      send();
    };
    socket.on("error", reject).on("close", closed).on("data", receive);
    send();
  });
}
