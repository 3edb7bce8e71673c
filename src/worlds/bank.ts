import { type Addresses, addressesOf } from "#src/config/addresses.ts";
import type { Config } from "#src/config/config.ts";
import { createPace, type Timers } from "#src/lib/clock.ts";
import { type Aldgate, openServer, type ServerOptions } from "#src/server/open-server.ts";
import type { Database } from "#src/storage/database.ts";
import type { WorldDoors } from "./doors.ts";
import { folderOf, type WorldRecord } from "./world-record.ts";

type Ports = Pick<WorldRecord, "publicPort" | "mtlsPort">;

const withPort = (url: string | undefined, port: number): { url?: string } => {
  if (url === undefined) return {};
  const { protocol, hostname } = new URL(url);
  return { url: `${protocol}//${hostname}:${port}` };
};

/** The settings with the addresses of a world: the hosts of the sandbox, and its own ports. */
function addressSettings(config: Config, { publicPort, mtlsPort }: Ports) {
  const { PUBLIC_URL, MTLS_URL, ...others } = config;
  const { url: publicUrl } = withPort(PUBLIC_URL, publicPort);
  const { url: mtlsUrl } = withPort(MTLS_URL, mtlsPort);
  return {
    ...others,
    ...(publicUrl ? { PUBLIC_URL: publicUrl } : {}),
    ...(mtlsUrl ? { MTLS_URL: mtlsUrl } : {}),
    PUBLIC_PORT: publicPort,
    MTLS_PORT: mtlsPort,
  };
}

/** The addresses of a world. */
export const worldAddresses = (config: Config, ports: Ports): Addresses =>
  addressesOf(addressSettings(config, ports));

const closingSeconds = 1;

/** The options of the bank of a world. */
export type WorldBankOptions = Pick<ServerOptions, "config" | "clock" | "kinds" | "generateKey"> & {
  /** The timers of the regular work, which slows down while nobody uses the world. */
  timers?: Timers;
};

/** Opens the bank of a world. */
export async function openWorldBank(
  { config, timers, ...options }: WorldBankOptions,
  world: { record: WorldRecord; doors: WorldDoors; database: Database; root: string },
): Promise<Aldgate> {
  const { record, doors, database, root } = world;
  // the clock of a world is its own, and only a new one begins; the process's SDK outlives it
  const {
    CLOCK_START: _start,
    CLOCK_RATE: _rate,
    TRACING_MODULE: _module,
    ...settings
  } = addressSettings(config, record);
  const { start, rate } = record.isNew ? record.clock : {};
  return openServer({
    ...options,
    pace: createPace(true, timers),
    config: {
      ...settings,
      ...(start === undefined ? {} : { CLOCK_START: start }),
      ...(rate === undefined ? {} : { CLOCK_RATE: rate }),
      ALDGATE_DATA: folderOf(root, record.name),
      MANAGEMENT_PORT: 0,
      SHUTDOWN_SECONDS: closingSeconds,
    },
    onProgress: () => undefined,
    world: {
      name: record.name,
      controlsUrl: `${addressesOf(config).publicUrl}/worlds#world-${record.name}`,
    },
    database,
    doors,
  });
}
