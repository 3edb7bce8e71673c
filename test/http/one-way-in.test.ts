import assert from "node:assert/strict";
import { test } from "node:test";
import type { Access, AccessRow } from "#src/http/access/access.ts";
import {
  type ArrivedRequest,
  defineOperation,
  type Operation,
  type OperationRequest,
} from "#src/http/operation.ts";
import { sql } from "#src/storage/sql.ts";
import { fakeOperations } from "./fake-operations.ts";

const [plain] = fakeOperations({
  created: [],
  keys: [],
  baseUrls: [],
  reads: 0,
  file: { bytes: Buffer.alloc(0), sha256: null },
}).filter(({ load }) => load === undefined);
assert.ok(plain);
const done = { status: 204, body: null };
const load = () => ({
  statement: sql`select 'x' as name`,
  read: ({ name }: { name: string }) => ({ length: name.length }),
});

test("an operation gets what its load reads, with its type", () => {
  const lengths: number[] = [];
  const operation = defineOperation({
    ...plain,
    load,
    async handle({ loaded: { length } }) {
      lengths.push(length);
      return done;
    },
  });
  const row = { name: "four", access: [] };
  const loaded = operation.load?.({} as ArrivedRequest).read(row);
  void operation.handle({ loaded } as OperationRequest);
  assert.deepEqual(lengths, [4]);
});

// The compiler checks the rest, in `npm run check`: each directive must suppress an error.

const arrived = {} as ArrivedRequest;
// @ts-expect-error: a request that is not admitted reaches no handler
void ((operation: Operation) => operation.handle(arrived));

const claimed = { clientId: "c", organisationId: "o", softwareId: "s", jwksVersion: 1 };
const more = { schemeStatus: null, consent: null };
// @ts-expect-error: only the check of a token makes the access of a caller
({ ...claimed, ...more }) satisfies Access;

const needsLength = async ({ loaded }: OperationRequest<{ length: number }>) => {
  assert.ok(loaded.length);
  return done;
};
// @ts-expect-error: a handler that needs loaded data belongs to an operation with a load
({ ...plain, handle: needsLength }) satisfies Operation;
// @ts-expect-error: the same, of an operation that is defined
defineOperation({ ...plain, handle: needsLength });
// @ts-expect-error: a load that reads something else
defineOperation({ ...plain, load: () => ({ ...load(), read: () => ({}) }), handle: needsLength });
// @ts-expect-error: only defineOperation may promise a row with more columns
({ ...plain, load }) satisfies Operation<AccessRow>;
