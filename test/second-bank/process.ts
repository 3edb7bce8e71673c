// The second bank's process: the port over loopback HTTP, with faults that tests switch on. It
// prints its URL when it listens, and ends when its standard input closes.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { createFaults, type Fault } from "./faults.ts";
import { createLedger } from "./ledger.ts";
import { createToldNotices } from "./told-notices.ts";
import { decode, encode } from "./wire.ts";

const ledger = createLedger();
const told = createToldNotices();
const calls: typeof ledger.calls = { ...ledger.calls, tell: told.receive };
const faults = createFaults(Number(process.argv[2] ?? 1));
let log: { call: string; items: string[] }[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const [, area, name = ""] = (request.url ?? "").split("/");
  const send = (status: number, value: unknown): void => {
    const text = encode(value ?? null);
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  };
  if (area === "control") return send(200, control(name, body));
  const given = decode(body) as unknown[];
  log.push({ call: name, items: itemsOf(given[0]) });
  const fault = faults.take(name, given);
  if (fault?.how === "hang") return;
  if (fault?.how === "fail") return send(500, { outcome: fault.outcome ?? null });
  if (fault?.how === "slow") await delay(fault.delayMs ?? 1000);
  const result = calls[name]?.(...(given as never[]));
  if (fault?.how === "lose") return void request.socket.destroy();
  send(200, fault?.how === "answer" ? fault.answer : result);
}

function control(name: string, text: string): unknown {
  if (name === "faults") faults.set(decode(text) as Fault[]);
  if (name === "codes") return ledger.codes();
  if (name === "told") return told.all();
  if (name === "books") return ledger.books();
  if (name !== "calls") return null;
  const made = log;
  log = [];
  return made;
}

const itemsOf = (given: unknown): string[] =>
  Array.isArray(given)
    ? given.map((item) =>
        typeof item === "string" ? item : (item as { paymentId: string }).paymentId,
      )
    : [];

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
});
process.stdin.resume().on("end", () => process.exit(0));
