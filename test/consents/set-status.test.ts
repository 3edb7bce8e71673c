import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readSourceFiles, type SourceFile } from "#scripts/source-files.ts";
import { statementsOf } from "#scripts/tables.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { AccountsBank, everything } from "#test/accounts/fixture.ts";

let bank: AccountsBank;
let consentId: string;
before(async () => {
  bank = await AccountsBank.open();
  const answer = await bank.call("POST", "/account-access-consents", await bank.clientToken(), {
    body: {
      Data: { Permissions: everything, ExpirationDateTime: "2027-11-21T10:00:00Z" },
      Risk: {},
    },
  });
  assert.equal(answer.status, 201);
  consentId = answer.body.Data.ConsentId;
});
after(() => bank?.close());

const names = async (): Promise<string[]> =>
  (await verifyInvariants(bank.database, { hasOwnCore: true })).map(({ invariant }) => invariant);

const broken: Record<string, { breaking: Sql; mending: Sql }> = {
  "a waits_since that is not its creation time": {
    breaking: sql`waits_since = created_at + interval '1 second'`,
    mending: sql`waits_since = created_at`,
  },
  "no waits_since": {
    breaking: sql`waits_since = null`,
    mending: sql`waits_since = created_at`,
  },
  "no lapses_at": {
    breaking: sql`lapses_at = null`,
    mending: sql`lapses_at = expires_at`,
  },
};

for (const [name, { breaking, mending }] of Object.entries(broken)) {
  test(`verify reports a waiting consent with ${name}`, async () => {
    assert.deepEqual(await names(), []);
    const where = sql`where consent_id = ${consentId}`;
    await bank.database.query(sql`update consent set ${breaking} ${where}`);
    assert.deepEqual(await names(), ["a consent's waits_since and lapses_at match its status"]);
    await bank.database.query(sql`update consent set ${mending} ${where}`);
    assert.deepEqual(await names(), []);
  });
}

/** The statements that set a consent's status or deletion without `setStatus` or `setDeleted`. */
const unmarked = ({ path, text }: SourceFile): string[] =>
  statementsOf(text)
    .flatMap(({ sql }) => [...sql.matchAll(/\bupdate\s+consent\b.*?\bset\b(.*?)\bwhere\b/gs)])
    .filter(([, set = ""]) => /(?:^|,)\s*(?:status|deleted_at|waits_since|lapses_at)\s*=/.test(set))
    .map(([statement]) => `${path}: ${statement}`);

test("every statement that sets the status of consents, or deletes them, also sets waits_since and lapses_at", () => {
  for (const assignment of ["status = 'RJCT'", "revision = 2, deleted_at = now()"]) {
    const text = `sql\`update consent c set ${assignment} where consent_id = 'a'\``;
    assert.equal(unmarked({ path: "src/a.ts", text }).length, 1, text);
  }
  assert.deepEqual(readSourceFiles("src/**/*.ts").flatMap(unmarked), []);
});
