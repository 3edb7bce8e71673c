import { payeeText } from "#src/pages/journey.ts";
import type { Place } from "./load-journey.ts";

/**
 * What the customer must read about the payee's name before deciding; null if the name is right, or
 * was not checked.
 */
export function payeeWarningOf({ row, kind, consent }: Place): ReturnType<typeof payeeText> {
  const name = kind.payeeToCheck?.(consent)?.name ?? "";
  return row.payeeCheck && payeeText(row.payeeCheck, name);
}
