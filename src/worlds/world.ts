import { rmSync } from "node:fs";
import { join } from "node:path";
import { clientTables, moveDirectory } from "#src/clients/register-client.ts";
import { registrationTables, restartRegistrations } from "#src/events/registration.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import { SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import type { ShownWorld, WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import { directoryTables } from "#src/sandbox/directory/held-certificates.ts";
import { resumeSandboxClock } from "#src/sandbox/time/clock.ts";
import type { Aldgate } from "#src/server/open-server.ts";
import type { ReadyTpp } from "#src/server/parts.ts";
import { signingTables } from "#src/signing/key-table.ts";
import { type CarriedRows, mergeRows, readRows } from "#src/storage/carry-rows.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openWorldBank, type WorldBankOptions, worldAddresses } from "./bank.ts";
import { openFreeDoors, type WorldDoors } from "./doors.ts";
import type { Templates } from "./templates.ts";
import type { WorldDatabases } from "./world-databases.ts";
import { folderOf, type WorldRecord, type WorldSnapshot, writeRecord } from "./world-record.ts";

/** What worlds are opened with. */
export type WorldOptions = WorldBankOptions & {
  /** The folder of the worlds. */
  root: string;
  databases: WorldDatabases;
  templates: Templates;
  /** Closes another world if too many are open. Throws SandboxRefusal. */
  makeRoom(): Promise<void>;
  onFailure(error: unknown, name: string): void;
};

/** The tables that a reset or a restored snapshot does not touch: those of TPPs and of keys. */
const keptTables = [...clientTables, ...registrationTables, ...directoryTables, ...signingTables];

/** A world of this process. Its acts happen one after the other. */
export class World {
  readonly doors: WorldDoors;
  readonly #options: WorldOptions;
  #record: WorldRecord;
  /** Null while it is closed. */
  #bank: Aldgate | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: WorldOptions, record: WorldRecord, doors: WorldDoors) {
    this.doors = doors;
    this.#options = options;
    this.#record = record;
  }

  /** Opens the doors of a world. If another program has taken its ports, it gets others. */
  static async enter(options: WorldOptions, given: WorldRecord): Promise<World> {
    // somebody may connect before there is a world
    const entered = Promise.withResolvers<World>();
    const doors = await openFreeDoors(options.config, given, async () => {
      const world = await entered.promise;
      await world.open().catch((error) => {
        doors.cutWaiting();
        options.onFailure(error, given.name);
      });
    });
    const ports = { publicPort: doors.public.port, mtlsPort: doors.mtls.port };
    const world = new World(options, { ...given, ...ports }, doors);
    writeRecord(options.root, world.record);
    entered.resolve(world);
    return world;
  }

  get record(): Readonly<WorldRecord> {
    return this.#record;
  }

  get isOpen(): boolean {
    return this.#bank !== null;
  }

  /** Whether nobody is connected, and nobody has been for this time. */
  isIdle(seconds: number): boolean {
    const { doors } = this;
    return doors.connections() === 0 && performance.now() - doors.usedAt() >= seconds * 1000;
  }

  summary(): WorldSummary {
    const { name, createdAt, clock, snapshots } = this.#record;
    const { publicUrl, mtlsUrl } = this.#addresses();
    return {
      name,
      state: this.isOpen ? "open" : "closed",
      createdAt,
      publicUrl,
      mtlsUrl,
      issuer: publicUrl,
      clock: { start: clock.start ?? null, rate: this.#rate ?? clock.rate ?? 1 },
      now: this.#bank?.clock.now().toString() ?? null,
      snapshots: snapshots.map(({ name, createdAt, now }) => ({ name, createdAt, now })),
    };
  }

  /** Opens the bank if it is closed. */
  open(): Promise<void> {
    return this.#inTurn(async () => void (await this.#bankOf()));
  }

  /** Describes the world, and opens its bank if it is closed. */
  show(): Promise<ShownWorld> {
    return this.#inTurn(() => this.#show());
  }

  /** Stores how fast the clock runs, because only an open bank can be asked. */
  keepRate(): void {
    const rate = this.#rate;
    if (rate !== undefined && rate !== this.#record.rate) this.#store({ rate });
  }

  closeIfIdle(seconds: number): Promise<void> {
    return this.#inTurn(async () => {
      if (this.isIdle(seconds)) await this.#closeBank();
    });
  }

  /** Closes the bank and the doors. */
  leave(): Promise<void> {
    return this.#inTurn(async () => {
      const closed = this.doors.close(); // no connection comes in any more
      await this.#closeBank();
      await closed;
    });
  }

  /** Deletes everything that belongs to the world. */
  async remove(): Promise<void> {
    await this.leave();
    const { databases, root } = this.#options;
    const { database, snapshots, name } = this.#record;
    for (const id of [database, ...snapshots.map((one) => one.database)]) await databases.drop(id);
    rmSync(folderOf(root, name), { recursive: true, force: true });
  }

  reset(): Promise<ShownWorld> {
    return this.#inTurn(async () => {
      const { templates } = this.#options;
      await this.#replace(async (fresh) => {
        const template = await templates.copy(this.#record.template, fresh);
        return { template, isNew: true };
      });
      return this.#show();
    });
  }

  /** Keeps the data as a snapshot. */
  snapshot(name: string): Promise<WorldSummary> {
    return this.#inTurn(async () => {
      const { clock, databases } = this.#options;
      if (this.#record.snapshots.some((one) => one.name === name)) {
        throw new SandboxRefusal(409, `The world already has a snapshot "${name}".`);
      }
      const { now } = (await this.#bankOf()).clock;
      const snapshot = { name, createdAt: clock.now().toString(), now: now().toString() };
      const database = shortId(this.#record.name);
      await this.#closeBank();
      await databases.copy(this.#record.database, database);
      const { publicUrl: address } = this.#addresses();
      const snapshots = [...this.#record.snapshots, { ...snapshot, database, address }];
      this.#store({ snapshots });
      return this.summary();
    });
  }

  /** Gives the world the data of a snapshot; by default, of the newest. */
  restore(name?: string): Promise<ShownWorld> {
    return this.#inTurn(async () => {
      const { database, now, address } = this.#snapshotOf(name);
      await this.#replace(async (fresh) => {
        await this.#options.databases.copy(database, fresh);
        return { isNew: false, resumesAt: now, ...(address ? { address } : {}) };
      });
      return this.#show();
    });
  }

  deleteSnapshot(name: string): Promise<WorldSummary> {
    return this.#inTurn(async () => {
      const { database } = this.#snapshotOf(name);
      const snapshots = this.#record.snapshots.filter((one) => one.name !== name);
      this.#store({ snapshots });
      await this.#options.databases.drop(database);
      return this.summary();
    });
  }

  /** Calls `work` while the bank is closed, with the database of a snapshot or the world's own. */
  whileClosed<T>(
    snapshot: string | undefined,
    work: (given: Pick<WorldSnapshot, "database" | "now" | "address">) => Promise<T>,
  ): Promise<T> {
    return this.#inTurn(async () => {
      const now = (await this.#bankOf()).clock.now().toString();
      const { database } = this.#record;
      const { publicUrl: address } = this.#addresses();
      const kept = snapshot === undefined ? { database, now, address } : this.#snapshotOf(snapshot);
      await this.#closeBank();
      return work(kept);
    });
  }

  get #rate(): number | undefined {
    return this.#bank?.sandbox?.clock.rate() ?? this.#record.rate;
  }

  #addresses() {
    return worldAddresses(this.#options.config, this.#record);
  }

  async #show(): Promise<ShownWorld> {
    const bank = await this.#bankOf();
    const folder = folderOf(this.#options.root, this.#record.name);
    return { ...this.summary(), ...(await describeWorld(bank, folder)) };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #store(changes: Partial<WorldRecord>): void {
    this.#record = { ...this.#record, ...changes };
    writeRecord(this.#options.root, this.#record);
  }

  async #bankOf(): Promise<Aldgate> {
    if (this.#bank) return this.#bank;
    await this.#options.makeRoom();
    return this.#openOn(await this.#options.databases.open(this.#record.database));
  }

  async #openOn(database: Database): Promise<Aldgate> {
    const { root } = this.#options;
    const { doors } = this;
    await this.#settle(database);
    const bank = await openWorldBank(this.#options, {
      record: this.#record,
      doors,
      database,
      root,
    });
    this.#bank = bank;
    if (this.#record.isNew) this.#store({ isNew: false });
    return bank;
  }

  /** Gives data that come from another address, or another time, those of this world. */
  async #settle(database: Database): Promise<void> {
    const { address, resumesAt, ...settled } = this.#record;
    const { publicUrl } = this.#addresses();
    if (address === publicUrl && resumesAt === undefined) return;
    try {
      await migrate(database); // a snapshot may be older than this version
      if (address !== undefined && address !== publicUrl) {
        await moveDirectory(database, address, publicUrl);
      }
      if (resumesAt !== undefined) {
        const time = Temporal.Instant.from(resumesAt);
        await resumeSandboxClock(database, this.#options.clock, time);
      }
    } catch (error) {
      await database.close();
      throw error;
    }
    this.#record = { ...settled, address: publicUrl };
    this.#store({});
  }

  async #closeBank(): Promise<void> {
    this.keepRate();
    const bank = this.#bank;
    this.#bank = null;
    await bank?.close();
  }

  /** Replaces the database by a copy of another one, into which the world's TPPs and keys go. */
  async #replace(copy: (fresh: string) => Promise<Partial<WorldRecord>>): Promise<void> {
    const { databases } = this.#options;
    const kept = await readRows((await this.#bankOf()).database, keptTables);
    await this.#closeBank();
    const former = this.#record.database;
    const id = shortId(this.#record.name);
    const changes = await copy(id);
    const fresh = await databases.open(id);
    try {
      await fill(fresh, kept);
      this.#store({ ...changes, database: id });
      const bank = await this.#openOn(fresh);
      await restartRegistrations(bank.database, bank.clock.now());
    } catch (error) {
      await fresh.close();
      if (this.#record.database !== id) await databases.drop(id);
      throw error;
    }
    await databases.drop(former);
  }

  #snapshotOf(name: string | undefined): WorldSnapshot {
    const { snapshots } = this.#record;
    const found =
      name === undefined ? snapshots.at(-1) : snapshots.find((one) => one.name === name);
    if (found) return found;
    const names = snapshots.map((one) => one.name).join(", ");
    const others = names === "" ? "" : ` Its snapshots: ${names}.`;
    throw new SandboxRefusal(
      404,
      name === undefined
        ? "The world has no snapshot."
        : `The world has no snapshot "${name}".${others}`,
    );
  }
}

async function fill(database: Database, kept: CarriedRows): Promise<void> {
  await migrate(database); // a snapshot may be older than this version
  await database.transaction((on) => mergeRows(on, kept));
}

/** A new short id that begins with a name: of a database, or of what nobody has named. */
export const shortId = (name: string): string => newId(name).slice(0, name.length + 9);

/** Describes what a test needs of an open world: its time, keys, TPPs and customers. */
async function describeWorld(
  bank: Aldgate,
  folder: string,
): Promise<Omit<ShownWorld, Exclude<keyof WorldSummary, "now">>> {
  const { readyTpps, directory } = present(bank.sandbox, "the sandbox");
  const { listCustomers } = present(bank.controls, "the controls");
  return {
    now: bank.clock.now().toString(),
    caPem: directory.caPem,
    caFile: join(folder, "keys", "ca.pem"),
    tpps: readyTpps.map(describeTpp),
    customers: await listCustomers(),
  };
}

function describeTpp({ tpp, folder }: ReadyTpp): ShownWorld["tpps"][number] {
  const { caPem: _shared, signing, transport, ...facts } = tpp;
  const files = (use: "signing" | "transport") => ({
    privateKeyFile: join(folder, `${use}.key.pem`),
    certificateFile: join(folder, `${use}.pem`),
  });
  return {
    ...facts,
    signing: { ...signing, ...files("signing") },
    transport: { ...transport, ...files("transport") },
  };
}
