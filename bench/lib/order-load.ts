import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { PreparedOrders } from "./prepare-orders.ts";

/** Orders to be submitted, each once. */
export type OrderLoad = PreparedOrders & {
  port: number;
  /** Mutual TLS with the TPP's certificate; else plain HTTP. */
  secure: boolean;
  connections: number;
};

export type OrderLoadResult = {
  ordersPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Answers that were not a signed 201. */
  failures: number;
  firstFailure: string | null;
};

/** A load process whose requests are signed and ready. */
export type ReadyOrderLoad = {
  /** Sends them all and gives what was seen; throws when an order was not created. */
  run(): Promise<OrderLoadResult>;
};

/** Signs the orders in a process of their own. */
export async function readyOrderLoad(load: OrderLoad): Promise<ReadyOrderLoad> {
  const child = fork(fileURLToPath(new URL("./order-load-process.ts", import.meta.url)));
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      child.once("message", (message) => resolve(message as T)); // sent by order-load-process.ts
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the load ended with ${code}`)));
    });
  const ready = next<string>();
  child.send(load);
  await ready;
  return {
    async run() {
      const done = next<OrderLoadResult>();
      child.send("go");
      const result = await done;
      if (result.failures > 0) {
        throw new Error(`${result.failures} orders failed, the first: ${result.firstFailure}`);
      }
      return result;
    },
  };
}
