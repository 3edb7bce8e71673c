import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { countClients } from "#test/clients/stored-settings.ts";
import { type Bed, openRegistrationBed } from "./bed.ts";
import { hostileRequests } from "./hostile-requests.ts";
import { longSalt, oldPadding, resigned } from "./sign-any.ts";

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

test("the table of hostile registrations has at least 150 rows with different names", () => {
  assert.ok(hostileRequests.length >= 150, String(hostileRequests.length));
  assert.equal(new Set(hostileRequests.map(({ name }) => name)).size, hostileRequests.length);
});

test("R-012, R-015, R-040, R-041, R-042, R-043, R-044, R-045, R-046, R-047, R-048, R-049, R-051, R-052, R-053, R-054, R-055, R-057, R-058, R-059, R-060, R-061, R-062, R-063, R-064, R-065, R-066, R-067, R-069, R-087, R-101, R-103, R-104, R-105, R-106, R-107, R-108, R-109, R-111, S-001, S-002, S-004: a registration that breaks this rule is refused", ({
  name,
}) => {
  const broken = new Set(hostileRequests.map(({ rule }) => rule));
  broken.delete("none");
  assert.deepEqual([...broken].sort(), name.split(": ")[0]?.split(", "));
});

for (const { name, rule, status = 400, make } of hostileRequests) {
  test(`R-138, R-140, R-141: a hostile registration is refused and stores nothing (${name})`, async () => {
    const before = await countClients(bed.bank.database);
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
    assert.equal(await countClients(bed.bank.database), before);
    if (rule === "none") return;
    const attempt = await first<{ rule: string }>(
      bed.bank.database,
      sql`select rule from registration_attempt where interaction_id = ${interactionId}`,
    );
    // anyone can send a request without a valid certificate, so it is counted and not recorded
    assert.equal(attempt?.rule, rule === "R-012" ? undefined : rule, answer.text);
  });
}

test("a request or statement whose signature is not PS256 is told what the signature has instead", async () => {
  const { directory, signing } = bed.keys;
  const statement = resigned(await bed.statement(), directory.privateKeyPem, longSalt);
  const request = resigned(await bed.request(), signing.privateKeyPem, oldPadding);
  for (const [body, says] of [
    [await bed.request({ software_statement: statement }), /statement .* salt of another length/],
    [request, /registration request .* PKCS #1 v1\.5 padding/],
  ] as const) {
    const answer = await bed.send({ body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(String(answer.body.error_description), says);
  }
});
