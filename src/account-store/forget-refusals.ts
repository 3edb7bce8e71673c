// Refused facts are listed by their keys, which name accounts and customers. What is removed is
// listed no longer, and what belongs to an erased account or customer is erased with it.
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { keyOfFact, type RefusedFact, storableText } from "./check-facts.ts";
import { type FactKind, factKinds } from "./fact-rules.ts";

/** A refused fact, with the account and the customer that it is about; null if there is none. */
export type OwnedRefusal = RefusedFact & { accountId: string | null; customerId: string | null };

/** The kind of the refusals of what names no fact. Their keys name the page that contained it. */
export const ofPages = "changes";

/** The kind of what stands for a page that cannot be read at all. Each source has one at most. */
export const ofUnread = "unread changes";

/** The key of the refusals of a page that was read after a cursor; null is the first page. */
export const keyOfPage = (after: string | null): string =>
  storableText(after === null ? "from the beginning" : `after ${after}`);

/** What stands in a key for any name or place. */
export const anyOther = "*";

/**
 * A refusal as it is stored. A fault that names no fact may be in every page, each time in another
 * place and under another name. So those of the same kind of facts are stored once, with the first
 * page that had one.
 */
export const storedForm = (refusal: OwnedRefusal) =>
  refusal.kind === ofPages
    ? { ...refusal, key: withoutNames(refusal.path), place: refusal.key }
    : { ...refusal, place: null };

const ownWords: readonly string[] = ["", "removed", "delivered", "position", ...factKinds];

const withoutNames = (path: string): string =>
  path
    .split("/")
    .map((part) => (ownWords.includes(part) ? part : anyOther))
    .join("/");

/** Names the page in the refusals that have no key. */
export const withPage = (refused: readonly OwnedRefusal[], after: string | null): OwnedRefusal[] =>
  refused.map((one) => {
    if (one.key !== "") return one;
    const rule = `${one.rule}; correct it, and send the changes from the place in the key again`;
    return { ...one, key: keyOfPage(after), rule };
  });

/**
 * Adds to a refusal whom the fact is about. A fact that breaks a rule may have anything there. One
 * without a key is a fault of its page.
 */
export function withOwners(refusal: RefusedFact, fact: unknown): OwnedRefusal {
  const { kind, key, path } = refusal;
  if (key.trim() === "") {
    const inPage = kind === ofPages ? path : `/${kind.replace(" ", "/")}${path}`;
    const place = { kind: ofPages, key: "", path: storableText(inPage) };
    return { ...refusal, ...place, accountId: null, customerId: null };
  }
  const { accountId, customerId, partyId } = (fact ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...refusal,
    accountId: textOrNull(accountId),
    // a person's party has the customer's id
    customerId: textOrNull(customerId) ?? textOrNull(partyId),
  };
}

const textOrNull = (value: unknown): string | null =>
  typeof value === "string" ? storableText(value) : null;

/** A removal that has been made. */
type Removal = {
  kind: FactKind;
  /** The key as `removed_fact` has it. */
  key: string;
  fact: object;
};

/**
 * Forgets the refusals of removed facts, and of their removals. Those of an account or of a party
 * that is removed are forgotten with every refusal about it.
 */
export async function forgetRefusals(on: Queryable, removals: readonly Removal[]): Promise<void> {
  if (removals.length === 0) return;
  const [known] = await on.query<{ isAny: boolean }>(
    sql`select exists(select from fact_refusal) as "isAny"`,
  );
  if (!known?.isAny) return;
  const rows = removals.flatMap(({ kind, fact }) => {
    const key = keyOfFact(kind, fact);
    return [
      { kind, key },
      { kind: `removed ${kind}`, key },
    ];
  });
  // the sources one by one, so that the primary key finds each refusal
  await on.query(sql`
    with recursive known(source) as (
      select min(source) from fact_refusal
      union all
      select (select min(source) from fact_refusal where source > known.source)
      from known where known.source is not null
    )
    delete from fact_refusal f
    using known, json_to_recordset(${JSON.stringify(rows)}::json) as g(kind text, key text)
    where f.source = known.source and f.kind = g.kind and f.key = g.key`);
  const keysOf = (kind: FactKind) =>
    removals.filter((removal) => removal.kind === kind).map(({ key }) => key);
  const [accounts, customers] = [keysOf("accounts"), keysOf("parties")];
  if (accounts.length > 0) {
    await on.query(sql`
      delete from fact_refusal where account_id = any(${accounts}::text[])`);
  }
  if (customers.length > 0) {
    await on.query(sql`
      delete from fact_refusal where customer_id = any(${customers}::text[])`);
  }
}
