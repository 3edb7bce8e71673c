// What the bank's core has attached to consents (docs/decisions/0059). Only this file decrypts it,
// just before a call to the core.

import { type Bank, BankError } from "#src/bank/port.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { inBatches } from "#src/storage/batches.ts";
import type { Queryable } from "#src/storage/database.ts";
import { createSeal, type Seal } from "#src/storage/seal.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** A key of 32 bytes with its id. */
export type DataKey = { id: string; key: Buffer };

/** Keeps what the core attaches to consents. */
export type AttachedData = {
  /**
   * The statement that stores what the core has attached to a consent. It runs with the
   * authorisation, whose rows are in `authorised`.
   */
  storing(consentId: string, data: string, now: Temporal.Instant): Sql;
  /** Returns the bank whose core is given back, with each call, what it has attached. */
  giveBackTo(bank: Bank): Bank;
};

type AttachedRow = { consentId: string; keyId: string; sealed: string };
type Given = { consentId: string; attachedData?: string };

/** Keeps attached data with these keys. The first encrypts, and each decrypts its own. */
export function createAttachedData(
  on: Queryable,
  [current, ...others]: readonly [DataKey, ...DataKey[]],
): AttachedData {
  const seals = new Map<string, Seal>(
    [...others, current].map(({ id, key }) => [id, createSeal(key)]),
  );

  function open({ consentId, keyId, sealed }: AttachedRow): string {
    const data = seals.get(keyId)?.open(consentId, sealed) ?? null;
    if (data !== null) return data;
    const what = `the data that the core has attached to ${consentId}`;
    const text = `${what} cannot be decrypted with the key ${keyId}`;
    // nothing has been sent to the core
    throw new BankError("retry", text, { cause: new Unavailable("core", text, {}) });
  }

  async function load(consentIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await on.query<AttachedRow>(sql`
      select consent_id as "consentId", key_id as "keyId", sealed from attached_data
      where consent_id = any(${[...new Set(consentIds)]}::text[])`);
    return new Map(rows.map((row) => [row.consentId, open(row)]));
  }

  const giveBack = <Item extends Given>(item: Item, found: ReadonlyMap<string, string>): Item => {
    const attachedData = found.get(item.consentId);
    return attachedData === undefined ? item : { ...item, attachedData };
  };

  async function withData<Item extends Given>(items: readonly Item[]): Promise<Item[]> {
    const found = await load(items.map(({ consentId }) => consentId));
    return items.map((item) => giveBack(item, found));
  }

  const alone = async <Item extends Given>(item: Item): Promise<Item> =>
    giveBack(item, await load([item.consentId]));

  return {
    storing(consentId, data, now) {
      const sealed = (seals.get(current.id) as Seal).seal(consentId, data); // made above
      return sql`
        insert into attached_data (consent_id, key_id, sealed, check_at)
        select consent_id, ${current.id}::text, ${sealed}::text,
          ${now.add({ hours: keptHours })}::timestamptz
        from authorised
        on conflict (consent_id) do update
        set key_id = excluded.key_id, sealed = excluded.sealed, check_at = excluded.check_at`;
    },
    giveBackTo({ assess, assessOrder, reserve, tell, ...bank }) {
      return {
        ...bank,
        ...(assess ? { assess: async (consent) => assess(await alone(consent)) } : {}),
        ...(assessOrder ? { assessOrder: async (order) => assessOrder(await alone(order)) } : {}),
        ...(tell ? { tell: async (notices) => tell(await withData(notices)) } : {}),
        async reserve(payments) {
          const ids = payments.flatMap(({ context }) => (context ? [context.consentId] : []));
          const found = ids.length === 0 ? new Map<string, string>() : await load(ids);
          return reserve(
            payments.map(({ context, ...payment }) =>
              context ? { ...payment, context: giveBack(context, found) } : payment,
            ),
          );
        },
      };
    },
  };
}

/**
 * Returns a key with which data is encrypted, and which is not among these, or is another one under
 * the same id; null if there is none. It decrypts the data of a few consents for each key.
 */
export async function unusableDataKey(
  on: Queryable,
  keys: readonly DataKey[],
): Promise<{ id: string; is: "missing" | "another" } | null> {
  const ids = keys.map(({ id }) => id);
  const [missing] = await on.query<{ id: string }>(sql`
    select key_id as id from attached_data where key_id <> all(${ids}::text[]) limit 1`);
  if (missing) return { id: missing.id, is: "missing" };
  const rows = await on.query<AttachedRow>(sql`
    select d.* from unnest(${ids}::text[]) as k(id) cross join lateral (
      select consent_id as "consentId", key_id as "keyId", sealed from attached_data
      where key_id = k.id limit 3) d`);
  const another = keys.find(({ id, key }) => {
    const seal = createSeal(key);
    const own = rows.filter(({ keyId }) => keyId === id);
    // one that was changed says nothing about the key
    return own.length > 0 && own.every((row) => seal.open(row.consentId, row.sealed) === null);
  });
  return another ? { id: another.id, is: "another" } : null;
}

/** How long data is kept after the end of its consent: 400 days, as customers see the consent. */
const keptHours = 400 * 24;
const checkedAgainHours = 30 * 24;

/**
 * Erases the data of consents that ended more than 400 days ago and have no payment that
 * `isWaiting` finds. It looks again at the others 30 days later. Returns the number of consents.
 */
export function purgeAttachedData(
  on: Queryable,
  now: Temporal.Instant,
  isWaiting: (consentId: Sql) => Sql,
): Promise<number> {
  const before = now.subtract({ hours: keptHours });
  return inBatches(
    on,
    (limit) => sql`
      with due as materialized (
        select consent_id from attached_data where check_at <= ${now}
        order by check_at limit ${limit} for update skip locked),
      done as materialized (
        select c.consent_id from consent c
        where c.consent_id in (select consent_id from due)
          and coalesce(c.deleted_at, case when c.status <> 'AUTH' then c.status_updated_at end)
            <= ${before}
          and not ${isWaiting(sql`c.consent_id`)}),
      later as (
        update attached_data set check_at = ${now.add({ hours: checkedAgainHours })}
        where consent_id in (select consent_id from due)
          and consent_id not in (select consent_id from done))
      delete from attached_data where consent_id in (select consent_id from done)
      returning consent_id`,
  );
}
