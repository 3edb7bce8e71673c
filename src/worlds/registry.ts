import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { clockBeginning } from "#src/config/clock-beginning.ts";
import { ConfigError, loadConfig } from "#src/config/config.ts";
import { countOf } from "#src/lib/plain-text.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import {
  type ForkRequest,
  type ShownWorld,
  unknownWorld,
  type WorldControls,
  type WorldRequest,
} from "#src/sandbox/controls/world-shapes.ts";
import { lockFolder } from "#src/storage/folder-lock.ts";
import { shortId, World, type WorldOptions } from "./world.ts";
import { folderOf, readRecords, type WorldRecord } from "./world-record.ts";

type RegistryOptions = Omit<WorldOptions, "makeRoom">;

/** The worlds of a process, with their end. */
export type Registry = WorldControls & { close(): Promise<void> };

const idleCheckMs = 5000;

/**
 * Opens the registry of the worlds in a folder: their doors are open, and a world's bank opens at
 * the first connection. Throws FolderInUse if another process has it.
 */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const unlock = lockFolder(options.root);
  const worlds = new Worlds(options);
  const idle = setInterval(() => worlds.closeIdle(), idleCheckMs);
  idle.unref();
  for (const record of readRecords(options.root)) await worlds.enter(record);
  const { find } = worlds;
  return {
    open: (request) => worlds.open(request),
    list: () => worlds.list(),
    show: async (name) => find(name).show(),
    delete: (name) => worlds.delete(name),
    reset: async (name) => find(name).reset(),
    snapshot: async (name, { name: given = shortId("snapshot") }) => find(name).snapshot(given),
    restore: async (name, { snapshot }) => find(name).restore(snapshot),
    deleteSnapshot: async (name, snapshot) => find(name).deleteSnapshot(snapshot),
    fork: (name, request) => worlds.fork(name, request),
    async close() {
      clearInterval(idle);
      await worlds.close();
      unlock();
    },
  };
}

/** What a new world has from the database that it was copied from. */
type Copied = Pick<WorldRecord, "template" | "clock" | "isNew" | "address" | "resumesAt">;

class Worlds {
  readonly #options: RegistryOptions;
  readonly #worlds = new Map<string, World>();
  /** The names of worlds that are being made. */
  readonly #claimed = new Set<string>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  async enter(record: WorldRecord): Promise<World> {
    const options = { ...this.#options, makeRoom: () => this.#makeRoom() };
    const world = await World.enter(options, record);
    this.#worlds.set(record.name, world);
    return world;
  }

  find = (name: string): World => {
    const world = this.#worlds.get(name);
    if (world) return world;
    throw new SandboxRefusal(404, unknownWorld(name));
  };

  open({ name, clock = {} }: WorldRequest): Promise<ShownWorld> {
    return this.#make(name, async ({ database }) => {
      const { templates } = this.#options;
      const begins = startOf(clock) ?? this.#options.clock.now();
      const template = await templates.copy(begins, database);
      return { template, clock, isNew: true };
    });
  }

  /** Opens a copy of a world with its keys, whose certificates its TPPs have. */
  async fork(source: string, { name, snapshot }: ForkRequest): Promise<ShownWorld> {
    const world = this.find(source);
    const { databases, root } = this.#options;
    const keys = (world: string): string => join(folderOf(root, world), "keys");
    return this.#make(name, (own) =>
      world.whileClosed(snapshot, async ({ database, now, address }) => {
        await databases.copy(database, own.database);
        cpSync(keys(source), keys(own.name), { recursive: true });
        const { template, clock } = world.record;
        return { template, clock, isNew: false, resumesAt: now, ...(address ? { address } : {}) };
      }),
    );
  }

  list() {
    const worlds = [...this.#worlds.values()].map((world) => world.summary());
    return worlds.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async delete(name: string): Promise<void> {
    const world = this.find(name);
    this.#worlds.delete(name); // nobody finds it any more
    await world.remove();
  }

  /** Closes the banks that nobody has used for some time. */
  closeIdle(): void {
    const { WORLDS_IDLE_SECONDS: seconds } = this.#options.config;
    for (const world of this.#worlds.values()) {
      world.keepRate(); // the process may be killed
      if (world.isOpen && world.isIdle(seconds)) void world.closeIfIdle(seconds);
    }
  }

  /** Closes all banks and doors. */
  async close(): Promise<void> {
    await Promise.all([...this.#worlds.values()].map((world) => world.leave()));
  }

  /** Makes a world under a name that nobody else gets. */
  async #make(
    given: string | undefined,
    copy: (own: Pick<WorldRecord, "name" | "database">) => Promise<Copied>,
  ): Promise<ShownWorld> {
    const name = given ?? shortId("world");
    if (this.#worlds.has(name) || this.#claimed.has(name)) {
      throw new SandboxRefusal(409, `There already is a world "${name}".`);
    }
    this.#claimed.add(name);
    const own = { name, database: shortId(name) };
    try {
      const createdAt = this.#options.clock.now().toString();
      const facts = { ...own, createdAt, snapshots: [], publicPort: 0, mtlsPort: 0 };
      const world = await this.enter({ ...facts, ...(await copy(own)) });
      return await world.show();
    } catch (error) {
      const { root, databases } = this.#options;
      if (this.#worlds.has(name)) await this.delete(name);
      else await databases.drop(own.database);
      rmSync(folderOf(root, name), { recursive: true, force: true });
      throw error;
    } finally {
      this.#claimed.delete(name);
    }
  }

  /** Closes the bank that has been idle for the longest time, if too many are open. */
  async #makeRoom(): Promise<void> {
    const { WORLDS_OPEN: most } = this.#options.config;
    const open = [...this.#worlds.values()].filter((world) => world.isOpen);
    if (open.length < most) return;
    const [oldest] = open
      .filter((world) => world.isIdle(0))
      .sort((one, other) => one.doors.usedAt() - other.doors.usedAt());
    if (!oldest) {
      throw new SandboxRefusal(
        409,
        `${countOf(open.length, "world is", "worlds are")} open and in use, and WORLDS_OPEN allows no more.`,
      );
    }
    await oldest.closeIfIdle(0);
  }
}

/** When a clock begins; undefined for now. Throws SandboxRefusal. */
function startOf({ start }: { start?: string }): Temporal.Instant | undefined {
  if (start === undefined) return undefined;
  try {
    return clockBeginning(loadConfig({ CLOCK_START: start })).start;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const example = "2027-03-01T09:00Z";
    throw new SandboxRefusal(
      400,
      `clock.start must be a date-time of this century with an offset, such as ${example}.`,
    );
  }
}
