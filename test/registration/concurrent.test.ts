import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { type Bed, openRegistrationBed } from "./bed.ts";

let bed: Bed;
before(async () => {
  bed = await openRegistrationBed();
});
after(() => bed?.close());

const one = [201, ...Array.from({ length: 9 }, () => 400)];

test("R-047, R-110: ten concurrent registrations of new software succeed; of ten changes with one jti, one", async () => {
  const bodies = await Promise.all(Array.from({ length: 10 }, () => bed.request()));
  const answers = await Promise.all(bodies.map((body) => bed.send({ body })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ body }) => body.client_id)).size, 10);
  const [created] = answers;
  const client = bed.client(created?.body ?? {}, bed);
  const token = await client.clientToken("accounts");
  client.close();
  const headers = { authorization: `Bearer ${token}` };
  const url = `${bed.url}/${created?.body.client_id}`;
  // the same request ten times, in a change of the client
  const jti = randomUUID();
  const body = await bed.request({ jti });
  const changes = await Promise.all(
    Array.from({ length: 10 }, () => bed.send({ method: "PUT", url, headers, body })),
  );
  assert.deepEqual(
    changes.map(({ status }) => status).sort(),
    one.map((status) => (status === 201 ? 200 : status)),
  );
  const gone = await bed.send({ method: "DELETE", url, headers });
  assert.equal(gone.status, 204);
});

test("R-047: of ten concurrent requests with one jti, one registers", async () => {
  const body = await bed.request();
  const answers = await Promise.all(Array.from({ length: 10 }, () => bed.send({ body })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), one);
});
