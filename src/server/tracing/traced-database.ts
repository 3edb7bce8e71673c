import { trace } from "@opentelemetry/api";
import type { Database, Queryable } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";
import { inSpan } from "./span.ts";

/**
 * Makes a span for each statement that a request or a call of the core needs. The values are not
 * in it. Regular work gets no spans, because they would hide the requests. A request that the SDK
 * does not record gets none either, because nobody would see them.
 */
export function traceDatabase(database: Database): Database {
  const inTransaction = (on: Queryable): Queryable => ({
    query: (statement) => traced(statement, () => on.query(statement)),
  });
  return {
    ...database,
    query: (statement) => traced(statement, () => database.query(statement)),
    read: (statement) => traced(statement, () => database.read(statement)),
    readOnStandby: (statement) => traced(statement, () => database.readOnStandby(statement)),
    transaction: (work) =>
      isRecorded()
        ? inSpan("transaction", system, () => database.transaction((on) => work(inTransaction(on))))
        : database.transaction(work),
  };
}

const system = { "db.system.name": "postgresql" };
const isRecorded = (): boolean => trace.getActiveSpan()?.isRecording() === true;

function traced<T>({ text }: Sql, work: () => Promise<T>): Promise<T> {
  if (!isRecorded()) return work();
  const summary = summaryOf(text);
  return inSpan(
    summary,
    { ...system, "db.query.summary": summary, "db.query.text": text.slice(0, longestText) },
    work,
  );
}

// of the longest statements, the beginning says enough
const longestText = 4000;

/** What a statement does first to a table: "update consent", "select account". */
function summaryOf(text: string): string {
  const changed = /\b(insert into|update|delete from) ([a-z_]+)/.exec(text);
  if (changed) return `${changed[1]?.split(" ")[0]} ${changed[2]}`;
  const table = /\bfrom ([a-z_]+)/.exec(text)?.[1];
  return table === undefined ? "select" : `select ${table}`;
}
