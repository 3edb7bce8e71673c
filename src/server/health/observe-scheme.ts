import { Gauge } from "prom-client";
import type { Metrics } from "#src/http/connection/observe.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { SchemeList } from "#src/payments/limits/scheme-list.ts";

/** Adds the gauge of the age of the commercial scheme's list. Source: CV-16, CV-25. */
export function observeSchemeList(
  { registry }: Pick<Metrics, "registry">,
  { lastReading }: Pick<SchemeList, "lastReading">,
  clock: Clock,
): void {
  new Gauge({
    name: "aldgate_scheme_list_age_seconds",
    help: "Time since the list of the commercial scheme's participants was read; +Inf before that.",
    registers: [registry],
    async collect() {
      // without the database there is no age, and the other metrics are shown
      const found = await lastReading().catch(() => null);
      if (found === null) return this.remove();
      this.set(found.at ? clock.now().since(found.at).total("seconds") : Number.POSITIVE_INFINITY);
    },
  });
}
