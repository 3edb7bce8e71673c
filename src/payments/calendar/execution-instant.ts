import { type CutOffConfig, type CutOffKind, cutOffOf, isAfterCutOff } from "./cut-off.ts";
import { bankDate, type Dated, isAtOnce, processingInstant, type Timing } from "./timing.ts";
import { holidaysOf } from "./working-days.ts";

/**
 * The time at which a payment submitted now is executed; null means immediately. After the cut-off,
 * an immediate payment waits for the next working day. Source: P-187, P-188.
 */
export function executionInstant(
  kind: CutOffKind & { timing: Timing },
  request: Dated,
  now: Temporal.Instant,
  config: CutOffConfig,
): Temporal.Instant | null {
  if (isAtOnce(kind.timing, request)) {
    if (!isAfterCutOff(now, cutOffOf(kind, config))) return null;
    return processingInstant(bankDate(now).add({ days: 1 }), holidaysOf(config));
  }
  const { executionDate } = request;
  return executionDate && processingInstant(executionDate.local.toPlainDate(), holidaysOf(config));
}
