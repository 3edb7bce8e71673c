import { assert, present } from "#src/lib/assert.ts";
import type { Database, StandbyReport } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import {
  command as commandServer,
  type PostgresServer,
  startServer,
} from "#test/attacks/postgres-server.ts";
import { openProxy, type TcpProxy } from "#test/attacks/tcp-proxy.ts";
import { until } from "#test/until.ts";

const name = "bank";
const role = "bank_run";

// a standby cancels what is in the way of its primary's changes
const settings = { wal_keep_size: "1GB", max_standby_streaming_delay: "0" };

/** A server, and the address under which banks know it. */
export type Place = { server: PostgresServer; proxy: TcpProxy };

/** A primary with two standbys, and two processes of a bank that read from the standbys. */
export type Cluster = {
  primary: Place;
  standbys: [Place, Place];
  /** Two banks on the same data, each with its own connections. */
  banks: [AccountsBank, AccountsBank];
  close(): Promise<void>;
};

/** Long enough for a busy machine. */
const limits = { connectSeconds: 3, statementSeconds: 10, probeSeconds: 1 };

/** Opens it. Both banks use the standbys already. */
export async function openCluster(): Promise<Cluster> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.reverse()) await closer();
  };
  const openPlace = async (standbyOf?: PostgresServer): Promise<Place> => {
    const server = await startServer({ settings, ...(standbyOf ? { standbyOf } : {}) });
    closers.push(() => server.stop());
    const proxy = await openProxy(() => server.host);
    closers.push(() => proxy.close());
    return { server, proxy };
  };
  try {
    const primary = await openPlace();
    const url = await primary.server.createDatabase(name);
    const owner = await openPostgres(url, 1);
    await migrate(owner);
    // the rights of a bank in production
    await owner.execute(`create role ${role} login; grant usage on schema public to ${role};
      grant select, insert, update, delete on all tables in schema public to ${role}`);
    await owner.close();
    const standbys: Cluster["standbys"] = [
      await openPlace(primary.server),
      await openPlace(primary.server),
    ];
    const urlOf = (places: Place[]): string =>
      `postgres://${role}@${places.map(({ proxy }) => proxy.host).join()}/${name}`;
    const [writeUrl, readUrl] = [urlOf([primary, ...standbys]), urlOf(standbys)];
    const openBank = async (clients?: string[]): Promise<AccountsBank> => {
      const database = await openPostgres(writeUrl, 4, limits, readUrl);
      const bank = await AccountsBank.over(database, clients ? { clients } : {});
      closers.push(() => bank.close());
      return bank;
    };
    const banks: Cluster["banks"] = [await openBank(), await openBank([])];
    for (const { database } of banks) await untilUsed(database, 2);
    return { primary, standbys, banks, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What a bank knows of its standbys. */
export const standbysOf = ({ standbyUse }: Database): readonly StandbyReport[] =>
  present(standbyUse(), "a bank with standbys").standbys;

const usedOf = (database: Database): number =>
  standbysOf(database).filter(({ state }) => state === "in use").length;

/** Waits until a bank reads from so many standbys. */
export const untilUsed = (database: Database, count: number): Promise<number> =>
  until(
    () => usedOf(database),
    (used) => used === count,
  );

/** Runs a statement on one server. */
export const command = ({ server }: Place, text: string, database?: string) =>
  commandServer(server, text, database);

/** Stops a standby at the place where it is, or lets it go on. */
export async function pause(standby: Place): Promise<void> {
  await command(standby, "select pg_wal_replay_pause()");
  const state = "select pg_get_wal_replay_pause_state() as state";
  await until(
    async () => (await command(standby, state))[0]?.state,
    (found) => found === "paused",
  );
}

export const resume = (standby: Place): Promise<unknown> =>
  command(standby, "select pg_wal_replay_resume()");

/** Makes a standby follow another primary, or none. */
export async function follow(standby: Place, primary: Place | null): Promise<void> {
  const port = primary && new URL(primary.server.urlOf(name)).port;
  const to = primary ? `host=127.0.0.1 port=${port} user=aldgate application_name=standby` : "";
  await command(standby, `alter system set primary_conninfo = '${to}'`);
  await command(standby, "select pg_reload_conf()");
  const state = "select count(*)::integer as count from pg_stat_wal_receiver";
  await until(
    async () => (await command(standby, state))[0]?.count,
    (count) => count === (primary ? 1 : 0),
  );
}

export async function promote(standby: Place): Promise<void> {
  const [row] = await command(standby, "select pg_promote() as done");
  assert(row?.done === true, "the standby is promoted");
}
