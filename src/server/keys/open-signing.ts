import { join, resolve } from "node:path";
import { type Config, ConfigError } from "#src/config/config.ts";
import { parseCertificates } from "#src/http/connection/certificate-chain.ts";
import type { Metrics } from "#src/http/connection/observe.ts";
import { type Clock, createPace, type Pace } from "#src/lib/clock.ts";
import type { Directory } from "#src/sandbox/directory/directory.ts";
import { observeKeys, observeRemoteKeys } from "#src/server/health/observe-signing.ts";
import { KeyRefused } from "#src/signing/key-plan.ts";
import type { KeyRing } from "#src/signing/key-ring.ts";
import { createKeyStore, type KeyStore, type NewKey } from "#src/signing/key-store.ts";
import { keyWarnings } from "#src/signing/key-warnings.ts";
import { createKeyLocator, type LocatedKey, serviceKeyOf } from "#src/signing/locate-key.ts";
import { connectRemote, serviceUrlMistake } from "#src/signing/remote-connection.ts";
import { createRemoteKeys, type RemoteOptions } from "#src/signing/remote-keys.ts";
import type { Database } from "#src/storage/database.ts";

type SigningOptions = {
  config: Config;
  database: Database;
  /** The machine's clock. */
  clock: Clock;
  /** How often the keys are read again. */
  pace?: Pace;
  /** The sandbox's directory, which makes and certifies keys; null in production. */
  directory: Directory | null;
  log: {
    info(details: object, text: string): void;
    warn(details: object, text: string): void;
    error(details: object, text: string): void;
  };
  /** Called after every signature of the signing service. */
  onCall?: RemoteOptions["onCall"];
};

/** The bank's signing keys, open. */
export type Signing = {
  store: KeyStore;
  /** Makes sure that the bank can sign. Throws ConfigError. */
  begin(): Promise<void>;
  /** Generates a key, in a sandbox; null in production. */
  generate: (() => Promise<NewKey>) | null;
  close(): void;
};

/** The location of the first key that a sandbox generates, in its folder of keys. */
const firstSandboxKey = "bank-signing.key.pem";

// the signatures that a process asks the signing service for at the same time
const callsAtOnce = 16;
const hourMs = 3_600_000;
const refreshMs = 5_000;
// Every process reads the table several times in this time.
const settleMs = 15_000;

/** Opens the signing keys of a server. Throws ConfigError if it cannot sign. */
export async function startSigning(
  options: SigningOptions,
  metrics: Metrics,
): Promise<{ signing: Signing; keyRing: KeyRing }> {
  const signing = openSigning({ ...options, onCall: observeRemoteKeys(metrics) });
  try {
    await signing.begin();
  } catch (error) {
    signing.close();
    throw error;
  }
  const keyRing = signing.store.ring;
  observeKeys(metrics, keyRing, options.clock);
  return { signing, keyRing };
}

/** Opens the signing keys that the configuration and the database name. Throws ConfigError. */
export function openSigning(options: SigningOptions): Signing {
  const { config, database, clock, pace = createPace(), directory, log } = options;
  const connection = openConnection(config);
  const service =
    connection &&
    createRemoteKeys({
      call: connection.call,
      deadlineMs: 2000,
      callsAtOnce,
      onCall: options.onCall ?? (() => undefined),
      onChange: (isPaused) =>
        isPaused
          ? log.error({}, "the signing service fails; calls are paused, and requests get 503")
          : log.warn({}, "the signing service answers again"),
    });
  const folder = directory ? join(config.ALDGATE_DATA, "keys") : ".";
  const locator = createKeyLocator((path) => resolve(folder, path), service);
  const store = createKeyStore({
    database,
    clock,
    locator,
    periods: {
      leadMs: 24 * hourMs,
      retiredMs: 30 * 24 * hourMs,
      settleMs,
    },
    certify:
      directory &&
      (({ kid, location }, publicKey) => {
        const name = location === firstSandboxKey ? "bank-signing" : `bank-signing-${kid}`;
        const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
        return directory.certifySigning(name, pem);
      }),
    onTrouble: (kid, reason) => log.error({ kid, reason }, "a signing key cannot be used"),
  });
  const attend = createAttendant(options, store);
  const read = async (): Promise<void> => {
    try {
      await store.refresh();
      await attend();
    } catch (error) {
      log.error({ err: error }, "the signing keys cannot be read; the known ones stay in use");
    }
  };
  const stop = pace.watch(refreshMs, read);
  return {
    store,
    async begin() {
      await store.refresh();
      const find = (location: string): Promise<LocatedKey> =>
        locator.find(location).catch((error: Error) => {
          const name = serviceKeyOf(location) === null ? "SIGNING_KEY" : "SIGNING_SERVICE_URL";
          throw new ConfigError([`${name}: ${error.message}`]);
        });
      if (directory) await beginSandbox(options, store, find);
      else await beginProduction(options, store, find);
      await checkCurrent(options, store, find);
    },
    generate: directory && (() => generateKey(directory)),
    close() {
      void stop();
      connection?.close();
    },
  };
}

const warningMs = 24 * hourMs;

/** Makes the function that logs which key signs, and once per day what should be done. */
function createAttendant(
  { clock, directory, log }: SigningOptions,
  store: KeyStore,
): () => Promise<void> {
  let kid: string | null = null;
  let warnAt = 0;
  return async () => {
    const now = clock.now().epochMilliseconds;
    const next = store.ring.canSign() ? store.ring.current().kid : null;
    if (kid !== null && next !== kid) log.info({ kid: next }, "another key signs now");
    kid = next;
    // a sandbox makes the next key when it is needed
    if (directory || now < warnAt) return;
    warnAt = now + warningMs;
    const warnings = keyWarnings(await store.list(), now);
    for (const warning of warnings) log.warn({}, `signing keys: ${warning}`);
  };
}

function openConnection(config: Config) {
  const { SIGNING_SERVICE_URL: url } = config;
  if (url === undefined) return null;
  const mistake = serviceUrlMistake(url);
  if (mistake !== null) throw new ConfigError([`SIGNING_SERVICE_URL: ${mistake}`]);
  try {
    return connectRemote({
      url,
      tokenFile: config.SIGNING_SERVICE_TOKEN_FILE,
      rootsFile: config.SIGNING_SERVICE_CA,
      certificateFile: config.SIGNING_SERVICE_CERTIFICATE,
      keyFile: config.SIGNING_SERVICE_CERTIFICATE_KEY,
      connections: callsAtOnce,
    });
  } catch (error) {
    throw new ConfigError([`SIGNING_SERVICE_URL: ${(error as Error).message}`]);
  }
}

type Find = (location: string) => Promise<LocatedKey>;

/** Makes the key of SIGNING_KEY the first one, if the bank has none. */
async function beginProduction(
  { config }: SigningOptions,
  store: KeyStore,
  find: Find,
): Promise<void> {
  const { SIGNING_KEY: given, SIGNING_CERTIFICATE: certificate } = config;
  const keys = await store.list();
  if (given === undefined) {
    if (keys.length > 0) return;
    throw new ConfigError([
      "SIGNING_KEY: the bank has no signing key; name the first one, or add it with " +
        "`./aldgate keys add`",
    ]);
  }
  const location = serviceKeyOf(given) === null ? resolve(given) : given;
  const certificateFile = certificate === undefined ? null : resolve(certificate);
  const { jwk } = await find(location);
  const known = keys.find(({ kid }) => kid === jwk.kid);
  if (known) return store.move(jwk.kid, { location, certificateFile });
  if (keys.length === 0) return addKey(store, { location, certificateFile }, true);
  throw new ConfigError([
    `SIGNING_KEY: ${given} is the key ${jwk.kid}, which the bank has never published, so TPPs ` +
      "cannot verify its signatures. Add it with `./aldgate keys add` and let it replace the " +
      "current key with `./aldgate keys rotate`. Until then, name the current key or leave this " +
      "setting out",
  ]);
}

/** Adds a key that signs immediately. Another process may have added it at the same time. */
async function addKey(store: KeyStore, key: NewKey, isImmediate: boolean): Promise<void> {
  try {
    await store.add(key, isImmediate);
  } catch (error) {
    if (!(error instanceof KeyRefused)) throw error;
    await store.refresh();
  }
}

/**
 * Makes sure that a sandbox has a key: the one that SIGNING_KEY names, or one of its own. If its
 * folder of keys was deleted, a new key replaces the current one immediately.
 */
async function beginSandbox(
  { config, directory }: SigningOptions,
  store: KeyStore,
  find: Find,
): Promise<void> {
  const keys = await store.list();
  const current = keys.find(({ state }) => state === "current");
  if (config.SIGNING_KEY === undefined && current?.isUsable) return;
  const location = config.SIGNING_KEY ?? firstSandboxKey;
  const { jwk } = await find(location);
  const isKnown = keys.some(({ kid }) => kid === jwk.kid);
  if (isKnown && config.SIGNING_KEY !== undefined) return;
  const key =
    isKnown && directory ? await generateKey(directory) : { location, certificateFile: null };
  await addKey(store, key, true);
}

async function generateKey(directory: Directory): Promise<NewKey> {
  return { location: await directory.makeSigningKey(), certificateFile: null };
}

/** Refuses to start if this process cannot sign with the current key. Throws ConfigError. */
async function checkCurrent(
  { config, directory }: SigningOptions,
  store: KeyStore,
  find: Find,
): Promise<void> {
  const current = (await store.list()).find(({ state }) => state === "current");
  if (!current) throw new ConfigError(["SIGNING_KEY: none of the bank's keys can sign now"]);
  const { kid, location } = current;
  const { jwk } = await find(location);
  if (jwk.kid !== kid) {
    throw new ConfigError([
      `SIGNING_KEY: ${location} contains the key ${jwk.kid}, and the bank signs with ${kid}`,
    ]);
  }
  const pem = store.ring.find(kid)?.certificatesPem() ?? "";
  if (!directory && parseCertificates(pem).length === 0) {
    const named = config.SIGNING_CERTIFICATE ?? "no file";
    throw new ConfigError([
      `SIGNING_CERTIFICATE: the certificate of the key ${kid} cannot be used (${named})`,
    ]);
  }
}
