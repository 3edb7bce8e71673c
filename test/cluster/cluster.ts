import { randomUUID } from "node:crypto";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { assert } from "#src/lib/assert.ts";
import { type BankProcess, startBank } from "#test/attacks/bank-process.ts";
import { fillDatabase } from "#test/attacks/kills.ts";
import { makeAuthority } from "#test/http/certificates.ts";
import { type Clocks, makeClocks } from "./clocks.ts";
import { asDatabaseUser, databaseUser, makeFolder, mountDisk } from "./disks.ts";
import { readExample, readVariables } from "./example-files.ts";
import { bankHosts, databaseHosts, hostsNetwork, nameOf, openNetwork } from "./network.ts";
import type { Programs } from "./programs.ts";
import { openSupervisor, type Program, programOn, type Supervisor } from "./supervisor.ts";

/** A host with a database. */
export type DatabaseHost = (typeof databaseHosts)[number];

/** A host with a process of the bank. */
export type BankHost = (typeof bankHosts)[number];

/** A part of the set-up, each with its own programs. */
export type ClusterPart = "etcd" | "patroni" | "bank";

/** The reference set-up of docs/more-than-one-machine.md, on hosts of one machine. */
export type Cluster = {
  /** The URL of the database, with all hosts. */
  url: string;
  folder: string;
  programs: Programs;
  supervisor: Supervisor;
  clocks: Clocks;
  patroni: Readonly<Record<DatabaseHost, Program>>;
  banks: Readonly<Record<BankHost, BankProcess>>;
  /** The root certificate of the bank's listeners. */
  caFile: string;
  /** The token of the sandbox's controls. */
  controlsToken: string;
  /** The host of the primary; null while the cluster has none that can be reached. */
  primary(): Promise<DatabaseHost | null>;
  /**
   * Says what is missing until everything of a part, or of all parts, runs and every commit has two
   * copies; null then.
   */
  missing(part?: ClusterPart): Promise<string | null>;
  /** The folder of a host's database, which is a small file system of its own. */
  diskOf(host: DatabaseHost): string;
};

const controlsToken = randomUUID();
const opensWithinMs = 180_000;

/** Starts the whole set-up, and fills the bank's database. */
export async function startCluster(folder: string, programs: Programs): Promise<Cluster> {
  openNetwork(folder);
  const supervisor = openSupervisor();
  const clocks = makeClocks(folder, programs.faketime);
  const etc = join(folder, "etc");
  const credentials = await writeCertificates(etc);
  const ask = askWith(credentials);
  const diskOf = (host: DatabaseHost): string => join(folder, "disks", host);
  for (const host of databaseHosts) {
    mountDisk(diskOf(host));
    await supervisor.keep(etcdOn(host, { folder, etc, programs }));
  }
  const patroni = {} as Record<DatabaseHost, Program>;
  for (const host of databaseHosts) {
    patroni[host] = patroniOn(host, { folder, etc, disk: diskOf(host), programs, clocks });
    await supervisor.keep(patroni[host]);
    await supervisor.keep(diskGuardOn(host, folder, diskOf(host)));
  }
  const settings = readVariables(readExample("aldgate.env", { "/etc/aldgate": etc }));
  const url = settings.DATABASE_URL ?? "";
  await createDatabase(url, await untilPrimary(ask));
  await checkDoors(credentials.ca);
  await fillDatabase(url);
  const banks = {} as Record<BankHost, BankProcess>;
  const data = join(folder, "bank");
  // one after the other, because the first makes the keys
  for (const host of bankHosts) {
    const own = { ...settings, ...sandboxSettings, ...clocks.variables(host) };
    const bank = await startBank(data, own, { host });
    banks[host] = bank;
    await supervisor.keep({ host, isAlive: bank.isAlive, start: bank.reopen });
  }
  const balancer = join(folder, "haproxy.cfg");
  writeFileSync(balancer, readExample("haproxy.cfg"));
  const line = [programs.haproxy, "-db", "-f", balancer];
  await supervisor.keep(programOn("balancer", line, { log: join(folder, "haproxy.log") }));
  return {
    url,
    folder,
    programs,
    supervisor,
    clocks,
    patroni,
    banks,
    caFile: join(data, "keys/ca.pem"),
    controlsToken,
    primary: () => findPrimary(ask),
    missing: (part) => findMissing(ask, banks, part),
    diskOf,
  };
}

const sandboxSettings = {
  SANDBOX_CONTROLS_NETWORKS: hostsNetwork,
  SANDBOX_CONTROLS_TOKEN: controlsToken,
};

type Credentials = { ca: string; cert: string; key: string };

/** The certificates of the three database hosts: one for PostgreSQL and Patroni, one for etcd. */
async function writeCertificates(etc: string): Promise<Credentials> {
  mkdirSync(etc, { recursive: true });
  const authority = await makeAuthority("Database authority");
  const ca = authority.cert;
  writeFileSync(join(etc, "database-root.pem"), ca);
  const issue = async (name: string): Promise<Credentials> => {
    const { cert, key } = await authority.issue(name, databaseHosts.map(nameOf), "peer");
    writeFileSync(join(etc, `${name}.pem`), cert);
    writeFileSync(join(etc, `${name}.key.pem`), key, { mode: 0o600 });
    return { ca, cert, key };
  };
  await issue("etcd");
  const database = await issue("database");
  chownSync(join(etc, "database.key.pem"), databaseUser.uid, databaseUser.gid);
  return database;
}

function etcdOn(host: DatabaseHost, { folder, etc, programs }: Omit<Place, "disk" | "clocks">) {
  const data = join(folder, `etcd-${host}`);
  const folders = { "/var/lib/etcd/aldgate": data, "/etc/aldgate": etc };
  const env = readVariables(readExample("etcd.env", folders), host);
  return programOn(host, [programs.etcd], { env, log: join(folder, `etcd-${host}.log`) });
}

type Place = { folder: string; etc: string; disk: string; programs: Programs; clocks: Clocks };

/** What the files of a database host say, and what the lane has in its place. */
function foldersOf({ folder, etc, disk, programs }: Omit<Place, "clocks">): Record<string, string> {
  const config = join(disk, "pgbackrest.conf");
  return {
    "/var/lib/postgresql/aldgate": join(disk, "data"),
    "/var/run/postgresql": disk,
    "/var/lib/pgbackrest": join(folder, "backups"),
    "/tmp/pgbackrest": disk,
    "/usr/lib/postgresql/17/bin": programs.postgresFolder,
    "/etc/aldgate": etc,
    // without the program, nothing is archived
    "pgbackrest --stanza": `${programs.pgbackrest ?? "true"} --config=${config} --stanza`,
  };
}

function patroniOn(host: DatabaseHost, place: Place): Program {
  const { folder, disk, programs, clocks } = place;
  // Patroni reads all files of a folder
  const files = join(folder, `patroni-${host}`);
  mkdirSync(files);
  const folders = foldersOf(place);
  writeFileSync(join(files, "patroni.yml"), readExample("patroni.yml", folders));
  makeFolder(join(folder, "backups"));
  writeFileSync(join(disk, "pgbackrest.conf"), readExample("pgbackrest.conf", folders));
  const env = { HOME: disk, ...readVariables(readExample("patroni.env"), host) };
  // after setpriv, because the library keeps files that its user must own
  const clock = Object.entries(clocks.variables(host)).map(([name, value]) => `${name}=${value}`);
  const line = [...asDatabaseUser, "env", ...clock, programs.patroni, files];
  return programOn(host, line, { env, log: join(folder, `patroni-${host}.log`) });
}

function diskGuardOn(host: DatabaseHost, folder: string, disk: string): Program {
  const file = join(folder, `disk-guard-${host}.sh`);
  const folders = {
    "/var/lib/postgresql/aldgate": disk,
    "/etc/patroni": join(folder, `patroni-${host}`),
  };
  writeFileSync(file, readExample("disk-guard.sh", folders));
  const env = readVariables(readExample("patroni.env"), host);
  return programOn(host, ["sh", file], { env, log: join(folder, `disk-guard-${host}.log`) });
}

/** Creates the bank's role and database, as the page says. */
async function createDatabase(url: string, primary: DatabaseHost): Promise<void> {
  const { PATRONI_SUPERUSER_PASSWORD = "" } = readVariables(readExample("patroni.env"));
  const [, password = ""] = /aldgate:([^@]*)@/.exec(url) ?? [];
  const server = `postgres:${PATRONI_SUPERUSER_PASSWORD}@${nameOf(primary)}/postgres`;
  const client = new pg.Client({
    connectionString: url.replace(/(?<=:\/\/)[^?]*/, server),
  });
  await client.connect();
  try {
    const secret = client.escapeLiteral(decodeURIComponent(password));
    await client.query(`create role aldgate login password ${secret}`);
    await client.query("create database aldgate owner aldgate");
  } finally {
    await client.end();
  }
}

type Member = { name: string; role: string; state: string; lag?: number | string };

/** Asks Patroni's own interface, at the first host that answers. */
async function listMembers(ask: Ask): Promise<Member[]> {
  for (const host of databaseHosts) {
    const said = await ask(`https://${nameOf(host)}:8008/cluster`);
    if (said !== null) return (JSON.parse(said) as { members: Member[] }).members;
  }
  return [];
}

/** Reads an address of a host with a database: the text, or null unless it answers 200 in time. */
type Ask = (url: string) => Promise<string | null>;

function askWith(credentials: Pick<Credentials, "ca"> & Partial<Credentials>): Ask {
  const agent = new Agent(credentials);
  return (url) =>
    new Promise((resolve) => {
      const signal = AbortSignal.timeout(2000);
      const asked = get(url, { agent, signal }, (answer) => {
        const isGood = answer.statusCode === 200;
        text(answer).then(
          (said) => resolve(isGood ? said : null),
          () => resolve(null),
        );
      });
      asked.on("error", () => resolve(null));
    });
}

/** Every host refuses a caller who has no certificate, and PostgreSQL one without TLS. */
async function checkDoors(ca: string): Promise<void> {
  const ask = askWith({ ca });
  for (const host of databaseHosts) {
    for (const door of ["2379/health", "8008/cluster"]) {
      const said = await ask(`https://${nameOf(host)}:${door}`);
      assert(said === null, `${host}:${door} refuses a caller without a certificate`);
    }
    const plain = new pg.Client(
      `postgres://postgres:none@${nameOf(host)}/postgres?sslmode=disable`,
    );
    const refusal = await plain.connect().then(
      () => "accepted",
      (error: Error) => error.message,
    );
    assert(/no encryption/.test(refusal), `${host} refuses PostgreSQL without TLS: ${refusal}`);
  }
}

async function isReady(host: BankHost): Promise<boolean> {
  const url = `http://${nameOf(host)}:9080/health/ready`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

async function findPrimary(ask: Ask): Promise<DatabaseHost | null> {
  const leader = (await listMembers(ask)).find(({ role }) => role === "leader");
  return databaseHosts.find((host) => host === leader?.name) ?? null;
}

async function untilPrimary(ask: Ask): Promise<DatabaseHost> {
  const deadline = performance.now() + opensWithinMs;
  for (;;) {
    const members = await listMembers(ask);
    const host = await findPrimary(ask);
    const standbys = members.filter(({ state }) => state === "streaming");
    // the roles of a strict cluster need a standby to commit
    if (host !== null && standbys.length === databaseHosts.length - 1) return host;
    assert(performance.now() < deadline, `the cluster opens: ${JSON.stringify(members)}`);
    await delay(500);
  }
}

async function findMissing(
  ask: Ask,
  banks: Record<BankHost, BankProcess>,
  part?: ClusterPart,
): Promise<string | null> {
  const ways: Record<ClusterPart, () => Promise<string | null>> = {
    etcd: () => findMissingEtcd(ask),
    patroni: () => findMissingDatabase(ask),
    bank: () => findMissingBank(banks),
  };
  for (const way of part === undefined ? Object.values(ways) : [ways[part]]) {
    const missing = await way();
    if (missing !== null) return missing;
  }
  return null;
}

async function findMissingEtcd(ask: Ask): Promise<string | null> {
  for (const host of databaseHosts) {
    if ((await ask(`https://${nameOf(host)}:2379/health`)) === null) return `etcd on ${host}`;
  }
  return null;
}

async function findMissingDatabase(ask: Ask): Promise<string | null> {
  for (const host of databaseHosts) {
    if ((await ask(`https://${nameOf(host)}:8008/health`)) === null) return `Patroni on ${host}`;
  }
  const members = await listMembers(ask);
  const leaders = members.filter(({ role, state }) => role === "leader" && state === "running");
  const standbys = members.filter(
    ({ role, state, lag }) =>
      role === "quorum_standby" && state === "streaming" && Number(lag) < 16_777_216,
  );
  if (leaders.length === 1 && standbys.length === databaseHosts.length - 1) return null;
  const seen = members.map(({ name, role, state }) => `${name} ${role} ${state}`);
  return `a primary with two standbys: ${seen.join(", ")}`;
}

async function findMissingBank(banks: Record<BankHost, BankProcess>): Promise<string | null> {
  for (const host of bankHosts) {
    if (!banks[host].isAlive()) return `the process on ${host}`;
    if (!(await isReady(host))) return `readiness of ${host}`;
  }
  return null;
}
