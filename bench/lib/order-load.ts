import type { PreparedOrders } from "./prepare-orders.ts";
import { type Failures, type ReadyLoad, readyLoad } from "./ready-load.ts";

/** Orders to be submitted, each once. */
export type OrderLoad = PreparedOrders & {
  port: number;
  /** Whether to use mutual TLS with the TPP's certificate instead of plain HTTP. */
  secure: boolean;
  connections: number;
  /** In how many parts they are sent, all on the same connections; 1 by default. */
  parts?: number;
  /**
   * Whether each connection waits until all have their responses before it sends the next order, so
   * that about the same number of orders share a statement each time. False by default.
   */
  inWaves?: boolean;
};

/** A failure is a response other than a signed 201. */
export type OrderLoadResult = Failures & {
  ordersPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
};

/** Signs the orders in a separate process. */
export const readyOrderLoad = (load: OrderLoad): Promise<ReadyLoad<OrderLoadResult>> =>
  readyLoad("./order-load-process.ts", "orders", load);
