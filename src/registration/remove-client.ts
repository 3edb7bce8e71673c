import { setClientStatus } from "#src/clients/client-record.ts";
import type { Why } from "#src/history/change.ts";
import type { Database, Queryable } from "#src/storage/database.ts";

/** Ends everything that a client may do, in the transaction that removes it. */
export type CloseAccess = (on: Queryable, clientId: string, why: Why) => Promise<void>;

/**
 * Removes a client: its tokens, its access to accounts and its event subscription end in the same
 * transaction. Payments in progress continue, and the records stay. Returns false if it is removed
 * already, or unknown. Source: R-030.
 */
export const removeClient = (
  { database, closeAccess }: { database: Database; closeAccess: CloseAccess },
  clientId: string,
  why: Why,
): Promise<boolean> =>
  database.transaction(async (on) => {
    const isRemoved = await setClientStatus(on, clientId, "removed", why);
    if (isRemoved) await closeAccess(on, clientId, why);
    return isRemoved;
  });
