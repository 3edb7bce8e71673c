import { seedVersion } from "#src/sandbox/personas/seed-personas.ts";
import type { WorldDatabases } from "./world-databases.ts";

/** The databases that worlds are copied from: one for each day on which a world begins. */
export type Templates = {
  /**
   * Copies the database whose history ends on the day, or the one with the id, and returns its id.
   * Makes it if it is missing. If another version has made the missing one, it gets another id.
   */
  copy(from: Temporal.Instant | string, to: string): Promise<string>;
};

/** Fills a new database with the customers, and with their history until the time. */
export type Fill = Parameters<WorldDatabases["make"]>[1] extends (
  settings: infer Settings,
) => Promise<void>
  ? (settings: Settings, time: Temporal.Instant) => Promise<void>
  : never;

// so many days in turn, such as those of several test suites, cost no seeding
const keptUnnamed = 5;
const form = /^template-(?<day>\d{4}-\d{2}-\d{2})-(?<version>[a-z0-9]+)$/;

/**
 * Makes templates by a function that fills one. A new one replaces those of other versions, and the
 * oldest of this version, unless a world was copied from them. Another process may drop a template
 * at any time, so a copy of a missing one makes it again.
 */
export function createTemplates(
  databases: WorldDatabases,
  { fill, listNamed }: { fill: Fill; listNamed(): string[] },
): Templates {
  const making = new Map<string, Promise<void>>();
  const inUse: string[] = [];
  let known: string | undefined;
  const version = (): string => {
    known ??= seedVersion();
    return known;
  };

  async function dropOld(made: string): Promise<void> {
    const needed = new Set([made, ...inUse, ...listNamed()]);
    const all = (await databases.list()).filter((one) => form.test(one));
    const newest = all
      .filter((one) => form.exec(one)?.groups?.version === version())
      .slice(-keptUnnamed);
    for (const id of all) {
      if (needed.has(id) || newest.includes(id)) continue;
      await databases.drop(id).catch(() => undefined); // one in use is dropped another time
    }
  }

  async function make(id: string, time: Temporal.Instant): Promise<void> {
    if (await databases.has(id)) return;
    await databases.alone(async () => {
      if (await databases.has(id)) return; // another process has made it
      await databases.make(id, (settings) => fill(settings, time));
      await dropOld(id);
    });
  }

  const ensure = (id: string, time: Temporal.Instant): Promise<void> => {
    const made = making.get(id) ?? make(id, time).finally(() => making.delete(id));
    making.set(id, made);
    return made;
  };

  async function copyOf(id: string, time: Temporal.Instant, to: string): Promise<void> {
    for (let left = 5; ; left -= 1) {
      await ensure(id, time);
      try {
        return await databases.copy(id, to);
      } catch (error) {
        // another process has dropped it since
        if (left === 0 || (await databases.has(id))) throw error;
      }
    }
  }

  return {
    async copy(from, to) {
      if (typeof from === "string" && (await databases.has(from))) {
        await using(from, () => databases.copy(from, to));
        return from;
      }
      const time = typeof from === "string" ? startOf(from) : from;
      const id = `template-${time.toZonedDateTimeISO("UTC").toPlainDate()}-${version()}`;
      await using(id, () => copyOf(id, time, to));
      return id;
    },
  };

  /** Keeps a template from being dropped by this process. */
  async function using(id: string, work: () => Promise<void>): Promise<void> {
    inUse.push(id);
    try {
      await work();
    } finally {
      inUse.splice(inUse.indexOf(id), 1);
    }
  }
}

/** The start of the day of a template. */
function startOf(id: string): Temporal.Instant {
  const { day = id } = form.exec(id)?.groups ?? {};
  return Temporal.PlainDate.from(day).toZonedDateTime("UTC").toInstant();
}
