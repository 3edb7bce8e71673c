import { seedVersion } from "#src/sandbox/personas/seed-personas.ts";
import type { WorldDatabases } from "./world-databases.ts";

/** The databases that worlds are copied from: one for each day on which a world begins. */
export type Templates = {
  /** Returns the id of the database whose history ends on the day. Makes it if it is missing. */
  ensure(day: Temporal.Instant): Promise<string>;
};

/** Fills a new database with the customers, and with their history until the time. */
export type Fill = Parameters<WorldDatabases["make"]>[1] extends (
  settings: infer Settings,
) => Promise<void>
  ? (settings: Settings, time: Temporal.Instant) => Promise<void>
  : never;

/** Makes templates by a function that fills one. */
export function createTemplates(databases: WorldDatabases, fill: Fill): Templates {
  const making = new Map<string, Promise<string>>();
  let version: string | undefined;
  const make = async (id: string, time: Temporal.Instant): Promise<string> => {
    if (!(await databases.has(id))) await databases.make(id, (settings) => fill(settings, time));
    return id;
  };
  return {
    ensure(time) {
      const day = time.toZonedDateTimeISO("UTC").toPlainDate();
      version ??= seedVersion();
      const id = `template-${day}-${version}`;
      const made = making.get(id) ?? make(id, time);
      making.set(id, made);
      made.catch(() => making.delete(id)); // the next world tries again
      return made;
    },
  };
}
