import { deleteEndedHistories, hasChangedAfter } from "#src/history/change.ts";
import { countOf } from "#src/lib/plain-text.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { isOneOf } from "#src/storage/personal-table.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** What other rooms have stored for consents. */
type Belongings = {
  /** SQL: whether something of a consent goes on, or has changed after a time. */
  isRecent(consentId: Sql, after: Temporal.Instant): Sql;
  /** SQL: how many payments a consent has, about. */
  size(consentId: Sql): Sql;
  /** Deletes what belongs to consents; returns the ids of objects that have a history. */
  delete(on: Queryable, consentIds: readonly string[]): Promise<string[]>;
};

/** Which consents are deleted. */
type Retention = {
  /** How many days after its end a consent is deleted. */
  keepDays: number;
  /** The kinds whose consents one order uses up, so that an unused one ends with its grant. */
  usedOnce: readonly KindId[];
  belongings: Belongings;
};

type Place = { clientId: string; createdAt: Temporal.Instant; consentId: string };
type Sized = { consentId: string; size: number };
type Candidate = Pick<Place, "createdAt" | "consentId"> & { isOver: boolean };

const perStep = 1000;
// what is deleted in one transaction, which has a limit of time
const perTransaction = { consents: 100, payments: 10_000 };

/** Deletes ended consents, a part of the table at each step. */
export type EndedConsents = { step(now: Temporal.Instant): Promise<number> };

/**
 * Deletes consents whose period since their end is over, with their evidence, orders and history.
 * It walks through the consents of each TPP by the time of their creation, because an index of
 * their ends would make each order of a payment dearer. A step looks at some of them, from where
 * the one before it has stopped, and returns how many it has deleted. Only memory has the place.
 * If it cannot delete some, it throws after it has deleted the others.
 */
export function createEndedConsents(database: Database, retention: Retention): EndedConsents {
  const { keepDays, usedOnce, belongings } = retention;
  let place: Place | null = null;

  const isOver = (before: Temporal.Instant): Sql => sql`
    c.authorised_at is not null
    and coalesce(c.deleted_at, case
        when c.status <> 'AUTH' then c.status_updated_at
        when c.kind = any(${[...usedOnce]}::text[]) then c.authorised_at
      end) <= ${before}
    and not ${hasChangedAfter(sql`c.consent_id`, before)}
    and not ${belongings.isRecent(sql`c.consent_id`, before)}`;

  const next = ({ clientId, createdAt, consentId }: Place, before: Temporal.Instant) =>
    database.query<Candidate>(sql`
      select c.created_at as "createdAt", c.consent_id as "consentId",
        coalesce(${isOver(before)}, false) as "isOver"
      from consent c
      where c.client_id = ${clientId} and c.created_at between ${createdAt} and ${before}
        and (c.created_at, c.consent_id) > (${createdAt}::timestamptz, ${consentId})
      order by c.created_at, c.consent_id limit ${perStep}::integer`);

  const deleteSome = (ids: readonly string[], before: Temporal.Instant): Promise<number> =>
    database.transaction(async (on) => {
      const locked = await on.query<{ id: string }>(sql`
        select c.consent_id as id from consent c
        where ${isOneOf(sql`c.consent_id`, ids)} and ${isOver(before)}
        order by c.consent_id for update skip locked`);
      const gone = locked.map(({ id }) => id);
      if (gone.length === 0) return 0;
      const others = await belongings.delete(on, gone);
      await deleteEndedHistories(on, [...gone, ...others], before);
      await on.query(sql`delete from unattended_access where ${isOneOf(sql`consent_id`, gone)}`);
      await on.query(sql`delete from consent where ${isOneOf(sql`consent_id`, gone)}`);
      return gone.length;
    });

  const sizesOf = (ids: readonly string[]) =>
    database.query<Sized>(sql`
      select c.consent_id as "consentId", ${belongings.size(sql`c.consent_id`)}::integer as size
      from consent c where ${isOneOf(sql`c.consent_id`, ids)} order by c.consent_id`);

  /** Deletes each alone if they cannot be deleted together. Adds the errors of those that stay. */
  async function deleteBatch(
    ids: readonly string[],
    before: Temporal.Instant,
    errors: unknown[],
  ): Promise<number> {
    try {
      return await deleteSome(ids, before);
    } catch (error) {
      if (ids.length === 1) errors.push(error);
    }
    let count = 0;
    if (ids.length > 1) for (const id of ids) count += await deleteBatch([id], before, errors);
    return count;
  }

  return {
    async step(now) {
      const before = now.subtract({ hours: 24 * keepDays });
      place ??= await beginningAfter(database, "");
      if (place === null) return 0;
      const { clientId } = place;
      const found = await next(place, before);
      const last = found.at(-1);
      const isMore = found.length === perStep;
      place = last && isMore ? { clientId, ...last } : await beginningAfter(database, clientId);
      const ids = found.filter((each) => each.isOver).map(({ consentId }) => consentId);
      const errors: unknown[] = [];
      let count = 0;
      for (const batch of ids.length === 0 ? [] : inBatches(await sizesOf(ids))) {
        count += await deleteBatch(batch, before, errors);
      }
      if (errors.length === 0) return count;
      const ended = countOf(errors.length, "ended consent", "ended consents");
      throw new AggregateError(errors, `${ended} could not be deleted`);
    },
  };
}

/** The beginning of the next TPP that has consents, by the order of ids; null after the last. */
async function beginningAfter(on: Queryable, client: string): Promise<Place | null> {
  const row = await first<{ clientId: string | null }>(
    on,
    sql`select min(client_id) as "clientId" from consent where client_id > ${client}`,
  );
  const clientId = row?.clientId ?? null;
  if (clientId === null) return null;
  return { clientId, createdAt: Temporal.Instant.fromEpochMilliseconds(0), consentId: "" };
}

/** The ids of consents that are deleted together. A larger one is alone. */
function* inBatches(all: readonly Sized[]): Generator<string[]> {
  let batch: string[] = [];
  let payments = 0;
  for (const { consentId, size } of all) {
    const isFull =
      batch.length === perTransaction.consents || payments + size > perTransaction.payments;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      payments = 0;
    }
    batch.push(consentId);
    payments += size;
  }
  if (batch.length > 0) yield batch;
}
