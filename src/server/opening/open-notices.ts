import { Gauge } from "prom-client";
import type { Config } from "#src/config/config.ts";
import type { Metrics } from "#src/http/connection/observe.ts";
import type { Clock } from "#src/lib/clock.ts";
import { createNoticeWork, type NoticeWork, oldestUntold } from "#src/notices/notice-work.ts";
import type { Database } from "#src/storage/database.ts";
import type { Core } from "./load-bank.ts";

type NoticeOptions = {
  config: Config;
  database: Database;
  clock: Clock;
  metrics: Metrics;
  /** Whether work may begin now. */
  admits(): boolean;
  log: { error(details: object, text: string): void };
};

/** Opens the work that tells the core about consents and orders; null if it has no such call. */
export function openNotices(core: Core | null, options: NoticeOptions): NoticeWork | null {
  const tell = core?.bank.tell;
  if (!core || !tell) return null;
  const { config, database, log } = options;
  observeNotices(options);
  return createNoticeWork({
    database,
    tell,
    admits: () => options.admits() && core.admits("tell"),
    deadlineMs: config.BANK_READ_DEADLINE_MS,
    retryMs: config.BANK_BREAKER_RETRY_MS,
    log,
  });
}

function observeNotices({ metrics, database, clock }: NoticeOptions): void {
  new Gauge({
    name: "aldgate_notices_oldest_waiting_seconds",
    help: "Age of the oldest change of a consent or an order that the core has not been told.",
    registers: [metrics.registry],
    async collect() {
      // without the database there is no age, and the other metrics are shown
      const oldest = await oldestUntold(database).catch(() => undefined);
      if (oldest === undefined) this.remove();
      else this.set(oldest ? Math.max(0, clock.now().since(oldest).total("seconds")) : 0);
    },
  });
}
