import { shareResult } from "#src/http/connection/observe.ts";
import type { Database } from "#src/storage/database.ts";
import { createSchemaCheck, OldSchema, OtherSchema } from "#src/storage/migrate.ts";

/** Whether this process can serve the schema, which a newer version may change at any time. */
export type SchemaWatch = {
  /** Why it cannot, as of the last second; null if it can. Throws Unavailable. */
  look(): Promise<string | null>;
  /** Whether it may begin new work, by the last look; looks again without waiting. */
  admits(): boolean;
};

/** Makes the watch of a bank's schema. The embedded database has no other process to watch. */
export function openSchemaWatch(
  database: Database,
  log: Record<"error" | "warn", (details: object, text: string) => void>,
): SchemaWatch {
  const check = createSchemaCheck();
  let refusal: string | null = null;
  const read = async (): Promise<string | null> => {
    const found = await findRefusal(() => check(database));
    if (found !== null && found !== refusal) {
      log.error(
        { schema: found },
        "this version cannot serve the schema: it begins no work of its own, and is not ready",
      );
    }
    if (found === null && refusal !== null) log.warn({}, "this version can serve the schema again");
    refusal = found;
    return found;
  };
  const shared = shareResult(1000, () => read().catch((error: unknown) => ({ error })));
  const look = async (): Promise<string | null> => {
    if (database.kind === "pglite") return null;
    const found = await shared();
    if (found === null || typeof found === "string") return found;
    throw found.error;
  };
  return {
    look,
    admits() {
      look().catch(() => undefined); // an outage says nothing about the schema
      return refusal === null;
    },
  };
}

async function findRefusal(check: () => Promise<void>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof OtherSchema || error instanceof OldSchema) return error.message;
    throw error;
  }
}
