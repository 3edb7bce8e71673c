// Loaded into the process of a bank before the bank itself (`--import`). Each request to BLOCK_PORT
// keeps the event loop from running for a while, as much work does.
import { createServer } from "node:http";
import { isMainThread } from "node:worker_threads";

const turns = 5;
const turnMs = 150;

/** Blocks the event loop several times in a row, so that the process is late. */
export async function blockUntilLate(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const end = performance.now() + turnMs;
    while (performance.now() < end);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

if (isMainThread && process.env.BLOCK_PORT) {
  createServer((_, response) => void blockUntilLate().then(() => response.end()))
    .listen(Number(process.env.BLOCK_PORT), "127.0.0.1")
    .unref();
}
