import assert from "node:assert/strict";
import { test } from "node:test";
import { inBatches } from "#src/storage/batches.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

test("inBatches repeats a statement until it returns fewer rows than its limit, and counts the rows", async () => {
  for (const [total, statements] of [
    [0, 1],
    [6, 1],
    [7, 2],
    [20, 3],
  ] as const) {
    let left: number = total;
    const limits: unknown[] = [];
    const on = {
      async query({ values: [limit] }: { values: unknown[] }) {
        limits.push(limit);
        const rows = new Array(Math.min(left, Number(limit))).fill({});
        left -= rows.length;
        return rows;
      },
    } as unknown as Queryable;
    assert.equal(await inBatches(on, (limit) => sql`delete from a limit ${limit}`, 7), total);
    assert.deepEqual(limits, new Array(statements).fill(7));
  }
});
