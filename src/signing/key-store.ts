import type { Clock } from "#src/lib/clock.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { expiryOf, openCertificateFile } from "./certificate-file.ts";
import { candidates, isPublished, type KeyState, stateOf } from "./key-life.ts";
import {
  checkAddition,
  type KeyPeriods,
  KeyRefused,
  planRetirement,
  planRotation,
  planWithdrawal,
  type RotationRequest,
} from "./key-plan.ts";
import { createKeyRing, type LiveKeyRing } from "./key-ring.ts";
import { insertKey, listStoredKeys, lockKeys, type StoredKey, updateKey } from "./key-table.ts";
import type { LocatedKey } from "./locate-key.ts";
import { createOpenedKeys, type KeyAccess, type OpenedKey } from "./opened-keys.ts";

type KeyStoreOptions = KeyAccess & {
  database: Database;
  /** The machine's clock. */
  clock: Clock;
  periods: KeyPeriods;
};

/** A key as operators see it. Times are ISO 8601 texts. */
export type ShownKey = {
  kid: string;
  state: KeyState;
  location: string;
  publishedFrom: string;
  activeFrom: string | null;
  publishedUntil: string | null;
  withdrawnAt: string | null;
  /** When the certificate expires; null if this process has none. */
  certificateUntil: string | null;
  /** Whether this process can sign with the key. */
  isUsable: boolean;
};

/** A key to add. */
export type NewKey = Pick<StoredKey, "location" | "certificateFile">;

/** A key to retire, and the time from which it is no longer published, in milliseconds. */
type RetirementRequest = { kid: string; until?: number | undefined };

/** The changes of keys that operators make. Each throws KeyRefused if the plan is not allowed. */
export type KeyOperator = {
  list(): Promise<ShownKey[]>;
  /**
   * Adds a key. It is on standby, unless it is the bank's first one or `isImmediate`, which is for
   * a sandbox that has lost its keys.
   */
  add(key: NewKey, isImmediate?: boolean): Promise<ShownKey>;
  rotate(request: RotationRequest): Promise<ShownKey>;
  retire(request: RetirementRequest): Promise<ShownKey>;
  withdraw(kid: string): Promise<ShownKey>;
};

/** The bank's keys: the ring of this process, and the changes that operators make. */
export type KeyStore = KeyOperator & {
  ring: LiveKeyRing;
  /** Reads the table, opens the keys that are new to this process, and reads certificates. */
  refresh(): Promise<void>;
  /** Reads renewed certificates. */
  renewCertificates(): void;
  /** Changes where a key and its certificate are. */
  move(kid: string, to: NewKey): Promise<void>;
};

/** Opens the bank's keys. Call `refresh` before the first signature, and then regularly. */
export function createKeyStore(options: KeyStoreOptions): KeyStore {
  const { database, clock, periods } = options;
  const ring = createKeyRing(clock);
  const opened = createOpenedKeys(options);
  const nowMs = (): number => clock.now().epochMilliseconds;

  async function refresh(): Promise<void> {
    const stored = await listStoredKeys(database);
    const now = nowMs();
    // the clock of the machine that added a key may be ahead of this one
    const inUse = stored.filter((key) => isPublished({ ...key, publishedFrom: now }, now));
    ring.replace(await opened.open(inUse));
    opened.renewCertificates();
  }

  async function list(): Promise<ShownKey[]> {
    const stored = await listStoredKeys(database);
    const now = nowMs();
    return stored.map((key) => shown(key, stateOf(key, stored, now), opened.find(key.kid)));
  }

  /** Makes a change while no other process makes one, and uses it in this process. */
  async function change(make: (keys: StoredKey[], on: Queryable) => Promise<string>) {
    const kid = await database.transaction(async (on) => {
      await lockKeys(on);
      return make(await listStoredKeys(on), on);
    });
    await refresh();
    const one = (await list()).find((key) => key.kid === kid);
    if (!one) throw new KeyRefused(`There is no key ${kid}.`);
    return one;
  }

  /** Finds the private half of a new key, and checks its certificate. */
  async function findNew({ location, certificateFile }: NewKey): Promise<LocatedKey> {
    try {
      const found = await options.locator.find(location);
      if (certificateFile !== null) openCertificateFile(certificateFile, found.publicKey);
      return found;
    } catch (error) {
      throw new KeyRefused(`The key cannot be used: ${(error as Error).message}`);
    }
  }

  /** Stores the keys of a plan: the first one is the key that the operator named. */
  const update = (plan: (keys: StoredKey[], now: number) => StoredKey[]): Promise<ShownKey> =>
    change(async (keys, on) => {
      const changed = plan(keys, nowMs());
      for (const key of changed) await updateKey(on, key);
      return changed[0]?.kid ?? "";
    });

  return {
    ring,
    refresh,
    renewCertificates: opened.renewCertificates,
    list,
    async add(key, isImmediate = false) {
      const { jwk } = await findNew(key);
      return change(async (keys, on) => {
        const now = nowMs();
        checkAddition(keys, jwk.kid, now);
        const activeFrom = isImmediate || keys.length === 0 ? now : null;
        const [replaced] = isImmediate ? candidates(keys, now) : [];
        if (replaced) await updateKey(on, { ...replaced, publishedUntil: now + periods.retiredMs });
        const { kid } = jwk;
        const dates = { publishedFrom: now, activeFrom, publishedUntil: null, withdrawnAt: null };
        await insertKey(on, { ...key, kid, jwk, ...dates });
        return kid;
      });
    },
    async move(kid, to) {
      const key = (await listStoredKeys(database)).find((one) => one.kid === kid);
      const isSame = key?.location === to.location && key.certificateFile === to.certificateFile;
      if (key && !isSame) await updateKey(database, { ...key, ...to });
      await refresh();
    },
    rotate: (request) => update((keys, now) => planRotation(keys, request, now, periods)),
    retire: (request) => update((keys, now) => planRetirement(keys, request, now, periods)),
    withdraw: (kid) => update((keys, now) => planWithdrawal(keys, kid, now)),
  };
}

const isoOf = (ms: number | null): string | null =>
  ms === null ? null : Temporal.Instant.fromEpochMilliseconds(ms).toString();

function shown(key: StoredKey, state: KeyState, opened: OpenedKey | undefined): ShownKey {
  const pem = opened?.certificatesPem() ?? "";
  return {
    kid: key.kid,
    state,
    location: key.location,
    publishedFrom: Temporal.Instant.fromEpochMilliseconds(key.publishedFrom).toString(),
    activeFrom: isoOf(key.activeFrom),
    publishedUntil: isoOf(key.publishedUntil),
    withdrawnAt: isoOf(key.withdrawnAt),
    certificateUntil: isoOf(pem === "" ? null : expiryOf(pem)),
    isUsable: (opened?.signer ?? null) !== null,
  };
}
