import { Gauge } from "prom-client";
import type { Metrics } from "#src/http/observe.ts";
import type { Engine } from "#src/payments/execution/engine.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Adds gauges of orders by status and of the engine's lag, read when they are asked for. */
export function observeOrders(metrics: Metrics, database: Database, engine: Engine): void {
  new Gauge({
    name: "aldgate_payment_orders",
    help: "Payment orders of the last day, by kind and status.",
    labelNames: ["kind", "status"] as const,
    registers: [metrics.registry],
    async collect() {
      this.reset();
      const rows = await database.query<{ kind: string; status: string; orders: bigint }>(sql`
        select kind, status, count(order_id) as orders from payment_order
        where status_updated_at > now() - interval '1 day' group by kind, status`);
      for (const { kind, status, orders } of rows) this.set({ kind, status }, Number(orders));
    },
  });
  new Gauge({
    name: "aldgate_engine_lag_seconds",
    help: "Age of the oldest payment that is due and not worked.",
    registers: [metrics.registry],
    async collect() {
      this.set(await engine.lagSeconds());
    },
  });
}
