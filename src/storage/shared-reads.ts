import { assert } from "#src/lib/assert.ts";
import { type BatchLimits, batched } from "#src/lib/batched.ts";
import type { Queryable } from "./database.ts";
import type { Sql } from "./sql.ts";

/**
 * The larger a batch, the less a page in it costs. The more batches, the less time the database and
 * the process wait for each other. Measured: 4 batches of 8 serve a sixth more than 2 batches of
 * 32.
 */
export const sharedReadLimits: BatchLimits = { asks: 8, batches: 4 };

/**
 * The column that gives the call to which a row belongs. No statement of ours has such a column.
 */
const askColumn = "#";

type AnswerRow = { [askColumn]: number };

/**
 * Makes a `read` that runs concurrent calls of the same statement as one execution, because most of
 * the cost of a point read is to send, start and end it. The statement becomes a subquery that runs
 * once per row of a table of its parameters. `loadTypes` returns the types of a statement's
 * parameters by the server's names. A single call runs the statement unchanged, on `alone`.
 * The other statements of its request run there too, so their data is in the processor's cache.
 */
export function shareReads(
  on: { alone: Queryable; shared: Queryable },
  loadTypes: (text: string) => Promise<readonly string[]>,
  limits: BatchLimits = sharedReadLimits,
): Queryable["query"] {
  const asked = new Map<string, (values: Sql["values"]) => Promise<unknown[]>>();
  return <Row>({ text, values }: Sql): Promise<Row[]> => {
    let ask = asked.get(text);
    if (!ask) {
      ask = shareOne(on, text, loadTypes, limits);
      asked.set(text, ask);
    }
    return ask(values) as Promise<Row[]>; // the caller knows what it selects
  };
}

function shareOne(
  on: { alone: Queryable; shared: Queryable },
  text: string,
  loadTypes: (text: string) => Promise<readonly string[]>,
  limits: BatchLimits,
): (values: Sql["values"]) => Promise<unknown[]> {
  let shared: Promise<string> | null = null;
  const prepare = async (): Promise<string> => {
    try {
      return sharedText(text, await loadTypes(text));
    } catch (error) {
      shared = null;
      throw error;
    }
  };
  return batched(limits, async (asks: readonly Sql["values"][]) => {
    const [alone] = asks;
    if (alone && asks.length === 1) return [await on.alone.query<unknown>({ text, values: alone })];
    shared ??= prepare();
    const columns = (asks[0] ?? []).map((_, column) => asks.map((values) => values[column]));
    const rows = await on.shared.query<AnswerRow>({ text: await shared, values: columns });
    const answers: unknown[][] = asks.map(() => []);
    for (const { [askColumn]: ask, ...row } of rows) answers[ask - 1]?.push(row);
    // the driver keeps its result long enough to be promoted to the old generation, which was a
    // tenth of a page's cost
    rows.length = 0;
    return answers;
  });
}

/**
 * The statement over a table of its parameters, with one column per parameter: `$1` is an array of
 * all first parameters.
 */
function sharedText(text: string, types: readonly string[]): string {
  assert(types.length > 0, "a shared read has parameters");
  assert(!types.some((type) => type.endsWith("[]")), "a shared read takes no arrays");
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  const names = types.map((_, index) => `p${index + 1}`);
  const one = text.replace(/\$(\d+)/g, (_, number) => `asked.p${number}`);
  return `select asked.ask::integer as "${askColumn}", answer.*
    from unnest(${arrays.join(", ")}) with ordinality as asked(${names.join(", ")}, ask)
    cross join lateral (${one}) answer`;
}
