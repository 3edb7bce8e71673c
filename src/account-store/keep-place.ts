// The place of a source in its feed: its cursor and its mark, with the facts that it has refused.
import { textOf } from "#src/lib/plain-text.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { keyOfFact, storableText } from "./check-facts.ts";
import { factKinds } from "./fact-rules.ts";
import type { AccountChanges, FeedPosition } from "./feed.ts";
import { keyOfPage, type OwnedRefusal, ofPages, ofUnread, storedForm } from "./forget-refusals.ts";
import { neverTrue } from "./future-times.ts";

/**
 * The store's cursor of the source is not the one after which the changes were read. Nothing of the
 * call is stored: read the cursor, and continue there.
 */
export class CursorMoved extends Error {
  override readonly name = "CursorMoved"; // a module of the bank may have another copy of the class
  readonly source: string;

  constructor(source: string) {
    super(
      `the cursor of the source ${source} is not the one that \`after\` names: continue from the ` +
        "cursor of the store",
    );
    this.source = source;
  }
}

/** Where a call of a source comes from, and how far the source has got with it. */
export type SourcePosition = FeedPosition & { source: string };

/** The key by which a refusal names a delivery. */
export const keyOfDelivery = (delivery: object): string => {
  const { accountId, cluster } = delivery as { accountId?: unknown; cluster?: unknown };
  return storableText(textOf([accountId, cluster]));
};

/** The facts of a call, each with its kind and key. */
export const factsOf = (changes: AccountChanges) =>
  factKinds.flatMap((kind) =>
    ((changes[kind] ?? []) as readonly object[]).map((fact) => ({
      kind,
      key: keyOfFact(kind, fact),
      fact,
    })),
  );

// the fault of a later page only counts: the row says what is wrong with the first one
const isElsewhere = sql`excluded.place <> f.place`;

/** Stores the place of the source, its refusals, and forgets the refusals of stored facts. */
export async function keepPlace(
  on: Queryable,
  stored: AccountChanges,
  refused: readonly OwnedRefusal[],
  position: SourcePosition,
  now: Temporal.Instant,
): Promise<void> {
  const { source } = position;
  const [known] = await on.query<{ isRefused: boolean }>(sql`
    select exists(select from fact_refusal where source = ${source}) as "isRefused"`);
  if (known?.isRefused) await forget(on, stored, refused, position);
  if (refused.length > 0) {
    await on.query(sql`
      insert into fact_refusal as f
        (source, kind, key, path, rule, place, account_id, customer_id)
      select distinct on (kind, key)
        ${source}, kind, key, path, rule, place, "accountId", "customerId"
      from json_to_recordset(${JSON.stringify(refused.map(storedForm))}::json)
        as g(kind text, key text, path text, rule text, place text, "accountId" text,
          "customerId" text)
      on conflict (source, kind, key) do update set
        rule = case when ${isElsewhere} then f.rule else excluded.rule end,
        path = case when ${isElsewhere} then f.path else excluded.path end,
        refused_at = excluded.refused_at, account_id = excluded.account_id,
        customer_id = excluded.customer_id, times = f.times + 1`);
  }
  await move(on, position, (stored.delivered ?? []).length > 0, now);
}

/**
 * Stores how far the source has got. Feeders of one source take turns here, so of two that have
 * read after the same cursor, the second throws CursorMoved.
 */
async function move(
  on: Queryable,
  { source, cursor, after, deliveredUpTo }: SourcePosition,
  hasDeliveries: boolean,
  now: Temporal.Instant,
): Promise<void> {
  const isMoved = cursor !== undefined || deliveredUpTo !== undefined || after !== undefined;
  if (!isMoved) return note(on, source, hasDeliveries, now);
  const mustHaveRow = after !== undefined && after !== null;
  const rows = await on.query(sql`
    insert into feed_source as f (source, cursor, delivered_until, heard_at)
    select ${source}, ${cursor ?? null}::text, ${deliveredUpTo ?? null}::timestamptz, ${now}
    ${mustHaveRow ? sql`where exists (select from feed_source where source = ${source})` : sql``}
    on conflict (source) do update set cursor = coalesce(excluded.cursor, f.cursor),
      delivered_until = greatest(excluded.delivered_until, case
        when ${neverTrue(sql`f.delivered_until`, sql`f.heard_at`)} then null
        else f.delivered_until end),
      heard_at = excluded.heard_at
    ${after === undefined ? sql`` : sql`where f.cursor is not distinct from ${after}::text`}
    returning source`);
  if (after !== undefined && rows.length === 0) throw new CursorMoved(source);
}

/**
 * Notes that a source was heard, at most once a second: feeders without a place need not take
 * turns. A source has a row once it has delivered something.
 */
async function note(
  on: Queryable,
  source: string,
  hasDeliveries: boolean,
  now: Temporal.Instant,
): Promise<void> {
  if (hasDeliveries) {
    await on.query(sql`
      insert into feed_source (source, heard_at) values (${source}, ${now})
      on conflict do nothing`);
  }
  await on.query(sql`
    update feed_source set heard_at = ${now}
    where source = ${source}
      and (heard_at is null or heard_at not between ${now.subtract({ seconds: 1 })} and ${now})`);
}

/** The members of a position that are stored: then a wrong one of before no longer matters. */
export const storedMembers = ({ cursor, deliveredUpTo }: SourcePosition): string[] => [
  ...(cursor === undefined ? [] : ["cursor"]),
  ...(deliveredUpTo === undefined ? [] : ["deliveredUpTo"]),
];

async function forget(
  on: Queryable,
  stored: AccountChanges,
  refused: readonly OwnedRefusal[],
  position: SourcePosition,
): Promise<void> {
  const { delivered = [] } = stored;
  const { source, after } = position;
  const keys = [
    ...factsOf(stored).map(({ kind, key }) => ({ kind, key })),
    ...delivered.map((one) => ({ kind: "delivered", key: keyOfDelivery(one) })),
    ...storedMembers(position).map((key) => ({ kind: "position", key })),
  ];
  await on.query(sql`
    delete from fact_refusal r
    using json_to_recordset(${JSON.stringify(keys)}::json) as g(kind text, key text)
    where r.source = ${source} and r.kind = g.kind and r.key = g.key`);
  if (after === undefined) return;
  // this page is read again, and what is still wrong in it stays, with the time since when
  const again = refused.filter(({ kind }) => kind === ofPages).map((one) => storedForm(one).key);
  await on.query(sql`
    delete from fact_refusal
    where source = ${source} and (kind = ${ofUnread} or
      (kind = ${ofPages} and coalesce(place, key) = ${keyOfPage(after)}
        and key <> all(${again}::text[])))`);
}
