import type { Queryable } from "#src/storage/database.ts";
import type { Call } from "./calls.ts";
import type { History } from "./history.ts";
import { describe, judge } from "./judge.ts";
import { readBooks, readKeptEvents } from "./read-books.ts";

/** Returns the part of a history that is about one client. */
export const ofClient = (history: History, clientId: string): Call[] =>
  history
    .calls()
    .filter(({ client, operation }) => client === clientId || operation === "moveClock");

/**
 * Reads what the database of a sandbox bank has of a client in the end, and judges it with what the
 * client was told. Returns the findings in words.
 */
export async function judgeClient(
  history: History,
  on: Queryable,
  clientId: string,
): Promise<string[]> {
  await readBooks(history, on, clientId);
  await readKeptEvents(history, on, clientId);
  return judge(ofClient(history, clientId)).map(describe);
}
