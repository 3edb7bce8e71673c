import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type Bed, openRegistrationBed } from "./bed.ts";
import { hostileRequests } from "./hostile-requests.ts";

let bed: Bed;
before(async () => {
  bed = await openRegistrationBed(
    { REGISTRATION_STATEMENT_MINUTES: 60 },
    { issuer: { environment: "production" } },
  );
});
after(() => bed?.close());

const errors: Record<number, RegExp> = {
  400: /^(invalid_redirect_uri|invalid_client_metadata|(invalid|unapproved)_software_statement)$/,
  401: /^invalid_client$/,
  413: /^invalid_client_metadata$/,
  415: /^invalid_client_metadata$/,
};

const countClients = async (): Promise<bigint> => {
  const row = await first<{ count: bigint }>(
    bed.bank.database,
    sql`select count(*) as count from client`,
  );
  return row?.count ?? -1n;
};

test("the table of hostile registrations has at least 150 rows with different names", () => {
  assert.ok(hostileRequests.length >= 150, String(hostileRequests.length));
  assert.equal(new Set(hostileRequests.map(({ name }) => name)).size, hostileRequests.length);
});

for (const { name, rule, status = 400, make } of hostileRequests) {
  test(`R-138, R-140, R-141: nobody is registered with ${name}`, async () => {
    const before = await countClients();
    const interactionId = randomUUID();
    const { headers, ...sent } = await make(bed);
    const answer = await bed.send({
      ...sent,
      headers: { "x-fapi-interaction-id": interactionId, ...headers },
    });
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers["content-type"], "application/json");
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.match(String(answer.body.error), errors[status] ?? /^$/);
    assert.match(String(answer.body.error_description), /^[ !#-[\]-~]{1,500}$/);
    assert.equal(await countClients(), before);
    if (rule === "none") return;
    const attempt = await first<{ rule: string }>(
      bed.bank.database,
      sql`select rule from registration_attempt where interaction_id = ${interactionId}`,
    );
    assert.equal(attempt?.rule, rule, answer.text);
  });
}
