// The account data of a core, read as Aldgate reads it: page by page from a cursor.
import { type FactKind, factKinds, keyMembers } from "#src/account-store/fact-rules.ts";
import { otherRows } from "#src/connector/operations.ts";
import { sha256 } from "#src/lib/hash.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { KitExchange } from "./client.ts";
import { NotAsked } from "./expect.ts";
import type { Kit } from "./kit.ts";

type Json = Readonly<Record<string, unknown>>;

/** A fact as the core has sent it. */
export type SentFact = { kind: FactKind; key: string; version: bigint; fact: Json };

/** One answer of `readChanges`. */
export type FactPage = {
  facts: SentFact[];
  removed: SentFact[];
  cursor: string | null;
  /** The times up to which everything is delivered, of the source and of accounts. */
  marks: Temporal.Instant[];
};

/** What a reader knows: of each fact, its version and what it says. */
type FactModel = Map<string, { version: bigint; hash: string }>;

/** The model after many pages, and what was wrong with them. */
export type FactWalk = {
  model: FactModel;
  pages: number;
  cursor: string | null;
  faults: string[];
  marks: Temporal.Instant[];
};

const changesMs = 20_000;
const perPage = 500;
const mostPages = 2_000;

/** Asks for the changes after a cursor, and returns what came. */
export function sendChanges(kit: Kit, after: string | null, limit = perPage): Promise<KitExchange> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (after !== null) query.set("after", after);
  const { method, path } = otherRows.readChanges;
  return kit.client.send({ method, path: `${path}?${query}`, body: null, deadlineMs: changesMs });
}

/** Reads the changes after a cursor, which must fit the contract. */
export async function readPage(kit: Kit, after: string | null, limit?: number): Promise<FactPage> {
  const exchange = await sendChanges(kit, after, limit);
  const body = kit.checkBody("readChanges", otherRows.readChanges.answer, exchange) as Json;
  const { position, removed, delivered = [] } = body as Sent;
  const marks = [position?.deliveredUpTo, ...delivered.map(({ asOf }) => asOf)];
  return {
    facts: listFacts(body),
    removed: listFacts(removed ?? {}),
    cursor: position?.cursor ?? null,
    marks: marks.flatMap((mark) =>
      mark === undefined || mark === "live" ? [] : [Temporal.Instant.from(mark)],
    ),
  };
}

/** What an answer has besides facts. */
type Sent = {
  position?: { cursor?: string; deliveredUpTo?: string };
  removed?: Json;
  delivered?: { asOf: string }[];
};

const listFacts = (body: Json): SentFact[] =>
  factKinds.flatMap((kind) => {
    const sent = (body[kind] ?? []) as Json[]; // the schema has been checked
    return sent.map((fact) => ({
      kind,
      key: keyMembers(kind)
        .map((member) => textOf(fact[member]))
        .join(" "),
      version: BigInt(textOf(fact.version)),
      fact,
    }));
  });

const nameOf = ({ kind, key }: SentFact): string => `${kind} ${key}`;

/** Applies a page to a model, as Aldgate does: only newer versions change it. */
function apply({ model, faults, marks }: FactWalk, page: FactPage): void {
  const { facts, removed } = page;
  marks.push(...page.marks);
  for (const sent of facts) {
    const name = nameOf(sent);
    const { accountId } = sent.fact;
    if (sent.kind !== "accounts" && typeof accountId === "string") {
      if (!model.has(`accounts ${accountId}`)) faults.push(`${name} came before its account`);
    }
    if (sent.kind === "statuses") continue;
    const hash = sha256(JSON.stringify(sent.fact));
    const known = model.get(name);
    if (known?.version === sent.version && known.hash !== hash) {
      faults.push(`${name} has changed, but still has the version ${sent.version}`);
    }
    if (!known || known.version < sent.version) model.set(name, { version: sent.version, hash });
  }
  for (const sent of removed) model.delete(nameOf(sent));
}

/** How a walk goes on, if not in large pages. */
type ReadOptions = { limit?: number; onPage?(page: FactPage): void };

/** Reads on until there is nothing more. Throws NotAsked if that takes too many pages. */
export async function readOn(
  kit: Kit,
  walk: FactWalk,
  { limit, onPage }: ReadOptions = {},
): Promise<SentFact[]> {
  const seen: SentFact[] = [];
  for (;;) {
    const page = await readPage(kit, walk.cursor, limit);
    apply(walk, page);
    onPage?.(page);
    seen.push(...page.facts);
    walk.pages += 1;
    const isEnd = page.cursor === null || page.cursor === walk.cursor;
    walk.cursor = page.cursor ?? walk.cursor;
    const isEmpty = page.facts.length === 0 && page.removed.length === 0;
    if (isEnd || (isEmpty && walk.pages > 1)) return seen;
    if (walk.pages > mostPages) throw new NotAsked(`the core has more than ${mostPages} pages`);
  }
}

/** Reads everything from the beginning. */
export async function readAll(kit: Kit): Promise<FactWalk> {
  const walk: FactWalk = { model: new Map(), pages: 0, cursor: null, faults: [], marks: [] };
  await readOn(kit, walk);
  return walk;
}

/** A walk of its own that goes on where another is. */
export const walkFrom = (walk: FactWalk): FactWalk => ({
  ...walk,
  model: new Map(walk.model),
  faults: [],
  marks: [],
});

const standardSeconds = 60;
const pauseMs = 100;

/** Reads on until a look at the new facts finds something, or the time for it is over. */
export async function untilSo<Value>(
  kit: Kit,
  walk: FactWalk,
  look: (sent: SentFact[]) => Value | undefined,
): Promise<Value | undefined> {
  const end = performance.now() + (kit.file.factsWithinSeconds ?? standardSeconds) * 1000;
  for (;;) {
    const found = look(await readOn(kit, walk));
    if (found !== undefined || performance.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** The walk that all cases go on with. */
export const sharedWalk = (kit: Kit): Promise<FactWalk> => kit.shared("walk", () => readAll(kit));
