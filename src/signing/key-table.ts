import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { KeyDates } from "./key-life.ts";
import type { PublicJwk } from "./public-jwk.ts";

/** The tables of signing keys. */
export const signingTables = ["signing_key"] as const;

/** A row of the table of keys. */
export type StoredKey = KeyDates & {
  kid: string;
  jwk: PublicJwk;
  /** The path of a file, or `service:` and a name. */
  location: string;
  certificateFile: string | null;
};

type Moment = Temporal.Instant | null;
type KeyRow = Omit<StoredKey, keyof KeyDates> & {
  publishedFrom: Temporal.Instant;
  activeFrom: Moment;
  publishedUntil: Moment;
  withdrawnAt: Moment;
};

const msOf = (moment: Moment): number | null => moment?.epochMilliseconds ?? null;
const instantOf = (ms: number | null): Moment =>
  ms === null ? null : Temporal.Instant.fromEpochMilliseconds(ms);

/** Lists all keys, the newest first. */
export async function listStoredKeys(on: Queryable): Promise<StoredKey[]> {
  const rows = await on.query<KeyRow>(sql`
    select kid, jwk, location, certificate_file as "certificateFile",
      published_from as "publishedFrom", active_from as "activeFrom",
      published_until as "publishedUntil", withdrawn_at as "withdrawnAt"
    from signing_key order by published_from desc, kid`);
  return rows.map((row) => ({
    ...row,
    publishedFrom: row.publishedFrom.epochMilliseconds,
    activeFrom: msOf(row.activeFrom),
    publishedUntil: msOf(row.publishedUntil),
    withdrawnAt: msOf(row.withdrawnAt),
  }));
}

/** Makes other changes of keys wait until the transaction has ended. */
export async function lockKeys(on: Queryable): Promise<void> {
  await on.query(sql`lock table signing_key in share row exclusive mode`);
}

/** Stores a new key. */
export async function insertKey(on: Queryable, key: StoredKey): Promise<void> {
  await on.query(sql`
    insert into signing_key (kid, jwk, location, certificate_file, published_from, active_from)
    values (${key.kid}, ${JSON.stringify(key.jwk)}::json, ${key.location}, ${key.certificateFile},
      ${instantOf(key.publishedFrom)}, ${instantOf(key.activeFrom)})`);
}

/** Stores the dates of a key, and where it is. */
export async function updateKey(on: Queryable, key: StoredKey): Promise<void> {
  await on.query(sql`
    update signing_key set location = ${key.location}, certificate_file = ${key.certificateFile},
      active_from = ${instantOf(key.activeFrom)}::timestamptz,
      published_until = ${instantOf(key.publishedUntil)}::timestamptz,
      withdrawn_at = ${instantOf(key.withdrawnAt)}::timestamptz
    where kid = ${key.kid}`);
}
