import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRandom } from "#src/sandbox/random.ts";
import { sql } from "#src/storage/sql.ts";
import { onPostgres } from "#test/postgres.ts";
import { archiveFile } from "#test/setup.ts";
import { SimulatedServer } from "./simulated-server.ts";

const skip = onPostgres && "the database of a simulation is the embedded one";
let server: SimulatedServer;

before(async () => {
  if (skip) return;
  server = await SimulatedServer.open(archiveFile("seeded"), createRandom("strikes"));
  await server.database.execute("create table struck (number integer)");
});
after(async () => server?.close());

const insert = (number: number) => sql`insert into struck (number) values (${number}::integer)`;
const read = sql`select number from struck order by number`;
const stored = async (): Promise<unknown[]> =>
  (await server.database.query<{ number: number }>(read)).map(({ number }) => number);

test("a trouble with a write passes over what only reads", { skip }, async () => {
  const line = server.connect();
  line.plan({ after: 1, trouble: "lost", ofWrites: true });
  await line.query(read);
  await line.query(insert(1));
  await line.query(read);
  await assert.rejects(line.query(insert(2)), /connection was lost/);
  await line.query(insert(3));
  assert.deepEqual(await stored(), [1, 3]);
});

test("a commit counts as a write, and is done although nobody learns it", { skip }, async () => {
  const line = server.connect();
  line.plan({ after: 1, trouble: "unanswered", ofWrites: true });
  const writing = line.transaction(async (on) => {
    await on.query(insert(4));
    await on.query(read);
  });
  await assert.rejects(writing, /connection was lost/);
  assert.ok((await stored()).includes(4));
});

test("a trouble with a kind of write waits until that write comes", { skip }, async () => {
  const line = server.connect();
  const other = sql`update struck set number = number where number < 0`;
  await line.query(insert(7));
  await line.query(other);
  const kinds = Array.from({ length: 9 }, (_, number) => server.kindOfWrite(number));
  const kind = kinds.indexOf(insert(7).text);
  assert.ok(kind >= 0 && kinds.includes(other.text));
  line.plan({ kind, trouble: "lost" });
  for (let others = 0; others < 20; others += 1) await line.query(other);
  await assert.rejects(line.query(insert(8)), /connection was lost/);
  await line.query(insert(9));
  const numbers = await stored();
  assert.ok(numbers.includes(9) && !numbers.includes(8));
});

test("a process that is killed between two writes keeps the first, and writes no more", {
  skip,
}, async () => {
  let kills = 0;
  const line = server.connect(() => {
    kills += 1;
  });
  line.plan({ after: 0, trouble: "killed after", ofWrites: true });
  await assert.rejects(line.query(insert(5)), /connection was lost/);
  await assert.rejects(line.query(insert(6)), /connection was lost/);
  assert.equal(kills, 1);
  const numbers = await stored();
  assert.ok(numbers.includes(5) && !numbers.includes(6));
});
