import { textOf } from "#src/lib/plain-text.ts";
import { Unavailable, unavailableOf } from "#src/lib/unavailable.ts";
import { sqlState } from "./database.ts";

// SQLSTATE classes and codes of an outage: connection lost, resources exhausted (disk, memory,
// connections), shutting down, read-only, time limit reached.
const classes = ["08", "53", "58"];
const codes = new Set([
  ...["25006", "25P03", "25P04", "55P03", "57014", "57P01", "57P02", "57P03", "57P05"],
]);

/** Whether a server that gave this answer can no longer serve this session. */
export const isStandby = (error: unknown): boolean => sqlState(error) === "25006";

/**
 * Converts an error of the driver for callers: Unavailable for an outage, the error itself
 * otherwise. `isLost` says whether the connection was lost. In that case no response was received,
 * and the statement may have been executed.
 */
export function asOutage(error: unknown, isLost: boolean): unknown {
  if (unavailableOf(error)) return error;
  const state = sqlState(error);
  const isOutage =
    state === undefined ? isLost : codes.has(state) || classes.includes(state.slice(0, 2));
  if (!isOutage) return error;
  const reason = error instanceof Error ? error.message : textOf(error);
  return new Unavailable("database", `the database is not available: ${reason}`, { cause: error });
}
