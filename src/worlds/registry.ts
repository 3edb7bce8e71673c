import { rmSync } from "node:fs";
import { newId } from "#src/lib/ids.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import type { WorldControls, WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import type { Aldgate, ServerOptions } from "#src/server/open-server.ts";
import { lockFolder } from "#src/storage/folder-lock.ts";
import { openWorldBank, worldAddresses } from "./bank.ts";
import { describeWorld } from "./describe.ts";
import { openFreeDoors, type WorldDoors } from "./doors.ts";
import type { Templates } from "./templates.ts";
import type { WorldDatabases } from "./world-databases.ts";
import { folderOf, readRecords, type WorldRecord, writeRecord } from "./world-record.ts";

/** What worlds are opened with. */
type RegistryOptions = Pick<ServerOptions, "config" | "clock" | "kinds"> & {
  /** The folder of the worlds. */
  root: string;
  databases: WorldDatabases;
  templates: Templates;
  generateKey: NonNullable<ServerOptions["generateKey"]>;
  onFailure(error: unknown, name: string): void;
};

/** A world of this process. */
type World = {
  record: WorldRecord;
  doors: WorldDoors;
  /** Null while it is closed. */
  bank: Aldgate | null;
  /** What is being done to the world; the next act waits for it. */
  turn: Promise<unknown>;
};

/** The worlds of a process, with their end. */
export type Registry = WorldControls & { close(): Promise<void> };

const idleCheckMs = 5000;

/**
 * Opens the registry of the worlds in a folder: their doors are open, and a world's bank opens at
 * the first connection. Throws FolderInUse if another process has it.
 */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const unlock = lockFolder(options.root);
  const registry = new Worlds(options);
  const idle = setInterval(() => registry.closeIdle(), idleCheckMs);
  idle.unref();
  for (const record of readRecords(options.root)) await registry.enter(record);
  return {
    open: (request) => registry.open(request),
    list: () => registry.list(),
    show: (name) => registry.show(name),
    delete: (name) => registry.delete(name),
    async close() {
      clearInterval(idle);
      await registry.close();
      unlock();
    },
  };
}

class Worlds implements WorldControls {
  readonly #options: RegistryOptions;
  readonly #worlds = new Map<string, World>();
  /** The names of worlds that are being made. */
  readonly #claimed = new Set<string>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** Opens the doors of a world. If another program has taken its ports, it gets others. */
  async enter(record: WorldRecord): Promise<World> {
    const { config, root } = this.#options;
    const doors = await openFreeDoors(config, record, () => {
      void this.#inTurn(world, () => this.#bankOf(world)).catch((error) => {
        doors.cutWaiting();
        this.#options.onFailure(error, record.name);
      });
    });
    const ports = { publicPort: doors.public.port, mtlsPort: doors.mtls.port };
    const world: World = {
      record: { ...record, ...ports },
      doors,
      bank: null,
      turn: Promise.resolve(),
    };
    writeRecord(root, world.record);
    this.#worlds.set(record.name, world);
    return world;
  }

  async open({ name = newId("world").slice(0, 14) }: { name?: string }) {
    if (this.#worlds.has(name) || this.#claimed.has(name)) {
      throw new SandboxRefusal(409, `There already is a world "${name}".`);
    }
    this.#claimed.add(name);
    try {
      const { databases, templates, clock } = this.#options;
      const template = await templates.ensure(clock.now());
      const database = databaseIdFor(name);
      await databases.copy(template, database);
      const record = { name, createdAt: clock.now().toString(), database, template };
      await this.enter({ ...record, publicPort: 0, mtlsPort: 0 });
    } finally {
      this.#claimed.delete(name);
    }
    return this.show(name);
  }

  list(): WorldSummary[] {
    const worlds = [...this.#worlds.values()];
    return worlds
      .map((world) => this.#summarise(world))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  show(name: string) {
    const world = this.#find(name);
    return this.#inTurn(world, async () => {
      const bank = await this.#bankOf(world);
      const folder = folderOf(this.#options.root, name);
      return { ...this.#summarise(world), ...(await describeWorld(bank, folder)) };
    });
  }

  async delete(name: string): Promise<void> {
    const world = this.#find(name);
    this.#worlds.delete(name); // nobody finds it any more
    await this.#inTurn(world, async () => {
      await this.#leave(world);
      await this.#options.databases.drop(world.record.database);
      rmSync(folderOf(this.#options.root, name), { recursive: true, force: true });
    });
  }

  /** Closes the banks that nobody has used for some time. */
  closeIdle(): void {
    const { WORLDS_IDLE_SECONDS: seconds } = this.#options.config;
    for (const world of this.#worlds.values()) {
      if (world.bank && isIdle(world, seconds)) void this.#closeIfIdle(world, seconds);
    }
  }

  /** Closes all banks and doors. */
  async close(): Promise<void> {
    const worlds = [...this.#worlds.values()];
    await Promise.all(worlds.map((world) => this.#inTurn(world, () => this.#leave(world))));
  }

  #closeIfIdle(world: World, seconds: number): Promise<void> {
    return this.#inTurn(world, async () => {
      if (isIdle(world, seconds)) await closeBank(world);
    });
  }

  async #leave(world: World): Promise<void> {
    const closed = world.doors.close(); // no connection comes in any more
    await closeBank(world);
    await closed;
  }

  #find(name: string): World {
    const world = this.#worlds.get(name);
    if (world) return world;
    throw new SandboxRefusal(404, `There is no world "${name}".`);
  }

  /** Does one thing after the other with a world. */
  #inTurn<T>(world: World, work: () => Promise<T>): Promise<T> {
    const done = world.turn.then(work);
    world.turn = done.catch(() => undefined);
    return done;
  }

  async #bankOf(world: World): Promise<Aldgate> {
    if (world.bank) return world.bank;
    await this.#makeRoom();
    const { databases, root } = this.#options;
    const database = await databases.open(world.record.database);
    world.bank = await openWorldBank(this.#options, { ...world, database, root });
    return world.bank;
  }

  /** Closes the bank that has been idle for the longest time, if too many are open. */
  async #makeRoom(): Promise<void> {
    const { WORLDS_OPEN: most } = this.#options.config;
    const open = [...this.#worlds.values()].filter(({ bank }) => bank !== null);
    if (open.length < most) return;
    const [oldest] = open
      .filter((world) => isIdle(world, 0))
      .sort((one, other) => one.doors.usedAt() - other.doors.usedAt());
    if (!oldest) {
      throw new SandboxRefusal(
        409,
        `${open.length} worlds are open and in use, and WORLDS_OPEN allows no more.`,
      );
    }
    await this.#closeIfIdle(oldest, 0);
  }

  #summarise({ record, bank }: World): WorldSummary {
    const { name, createdAt } = record;
    const { publicUrl, mtlsUrl } = worldAddresses(this.#options.config, record);
    const state = bank ? "open" : "closed";
    return { name, state, createdAt, publicUrl, mtlsUrl, issuer: publicUrl };
  }
}

const isIdle = ({ doors }: World, seconds: number): boolean =>
  doors.connections() === 0 && performance.now() - doors.usedAt() >= seconds * 1000;

async function closeBank(world: World): Promise<void> {
  const { bank } = world;
  world.bank = null;
  await bank?.close();
}

/** A new id for a database of a world. */
const databaseIdFor = (name: string): string => newId(name).slice(0, name.length + 9);
