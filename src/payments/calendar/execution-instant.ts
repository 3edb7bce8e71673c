import { parseDateTime } from "#src/lib/date-time.ts";
import { textAt } from "#src/payments/request/json-path.ts";
import { type CutOffConfig, cutOffOf, isAfterCutOff } from "./cut-off.ts";
import { bankDate, isAtOnce, processingInstant, type Timing } from "./timing.ts";
import { holidaysOf } from "./working-days.ts";

/**
 * When a payment submitted now is executed; null is at once. After the cut-off an immediate payment
 * waits for the next working day. Source: digest 2.8, 2.17.
 */
export function executionInstant(
  { id, timing }: { id: string; timing: Timing },
  initiation: Record<string, unknown>,
  now: Temporal.Instant,
  config: CutOffConfig,
): Temporal.Instant | null {
  if (timing.when === "immediate" || isAtOnce(timing, initiation)) {
    if (!isAfterCutOff(now, cutOffOf({ id }, config))) return null;
    return processingInstant(bankDate(now).add({ days: 1 }), holidaysOf(config));
  }
  const parsed = parseDateTime(textAt(initiation, timing.field) ?? "");
  return parsed && processingInstant(parsed.local.toPlainDate(), holidaysOf(config));
}
