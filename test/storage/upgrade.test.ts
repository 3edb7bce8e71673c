import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Database } from "#src/storage/database.ts";
import { listMigrations, migrate } from "#src/storage/migrate.ts";
import { sql } from "#src/storage/sql.ts";
import { readAuthorisations } from "#test/consents/stored-rows.ts";
import type { TestBank } from "#test/harness.ts";
import { paymentStatuses } from "#test/payments/stored-orders.ts";
import { openWithoutSchema } from "#test/sandbox/bank/empty-bank.ts";
import {
  debitsOf,
  openOver,
  type SecondBank,
  startSecondBank,
} from "#test/second-bank/second-bank.ts";
import { until } from "#test/until.ts";

// The data is inserted with the columns of version 0.1.0, which never change.
const lastOf010 = "0011_signing";
const data = `
  insert into organisation (organisation_id, name) values ('org', 'A TPP');
  insert into software (software_id, organisation_id, name, roles)
  values ('software', 'org', 'An app', '{PISP}');
  insert into client (client_id, software_id, organisation_id, metadata, created_at)
  values ('tpp', 'software', 'org', '{}', '2026-01-01');
  insert into client_setting (client_id, software_id, organisation_id)
  values ('tpp', 'software', 'org');
  insert into consent (consent_id, kind, api_version, client_id, status, created_at,
    status_updated_at, body, customer_id, authorised_at)
  select kind || '-consent', kind, 'pisp-v4.0', 'tpp', 'COND', '2026-01-01', '2026-01-01',
    '{"Data":{},"Risk":{}}', 'second-ada', '2026-01-01'
  from unnest('{domestic-payment,domestic-standing-order}'::text[]) as kind;
  insert into consent_account (consent_id, account_id, covered_from)
  select consent_id, 'second-current', '2026-01-01' from consent;
  insert into consent_authorisation (grant_id, consent_id, customer_id, authorised_at, acr, amr,
    challenge_id, shown_hash, ended_at, ending)
  values ('grant', 'domestic-payment-consent', 'second-ada', '2026-01-01T10:00:00Z',
    'urn:openbanking:psd2:sca', '{pwd,otp}', 'a challenge', 'the hash', '2026-01-02',
    'grant destroyed');
  insert into payment_order (order_id, consent_id, kind, family, api_version, client_id,
    customer_id, debtor_account_id, status, created_at, status_updated_at, terms, amount_minor,
    currency)
  values ('single', 'domestic-payment-consent', 'domestic-payment', 'immediate', 'pisp-v4.0',
      'tpp', 'second-ada', 'second-current', 'RCVD', '2026-01-01', '2026-01-01', '{}', 1234, 'GBP'),
    ('daily', 'domestic-standing-order-consent', 'domestic-standing-order', 'standingOrder',
      'pisp-v4.0', 'tpp', 'second-ada', 'second-current', 'RCVD', '2026-01-01', '2026-01-01',
      '{"schedule":{"rhythm":{"unit":"day","every":1},"firstDate":"2026-01-05",
        "recurringDate":null,"numberOfPayments":3,"finalDate":null,"currency":"GBP",
        "firstMinor":"600","recurringMinor":"600","finalMinor":"600"}}', null, null);
  insert into payment (payment_id, order_id, sequence, scheduled_on, is_last, status, created_at,
    status_updated_at, debtor_account_id, amount_minor, currency, creditor, execute_at, due_at)
  select 'pay-' || order_id, order_id, 1, scheduled_on, is_last, status, '2026-01-01', '2026-01-01',
    'second-current', amount_minor, 'GBP',
    '{"schemeName":"UK.OBIE.SortCodeAccountNumber","identification":"00990000000001"}',
    scheduled_on, '2026-01-05'
  from (values ('single', null::date, null::boolean, 'RCVD', 1234),
    ('daily', '2026-01-05', false, 'RCVD', 600))
    as p(order_id, scheduled_on, is_last, status, amount_minor);`;

let second: SecondBank;
let database: Database;
let bank: TestBank;
before(async () => {
  second = await startSecondBank();
  database = await openWithoutSchema();
  const migrations = listMigrations();
  const count = migrations.findIndex(({ name }) => name === lastOf010) + 1;
  await migrate(database, { migrations: migrations.slice(0, count) });
  await database.execute(data);
  bank = await openOver(second, {}, database);
});
after(async () => {
  await bank?.close();
  await second?.close();
});

test("the evidence of version 0.1.0 is kept, with what it does not say", async () => {
  const [given] = await readAuthorisations(database, "domestic-payment-consent");
  const { acr, amr } = { acr: "urn:openbanking:psd2:sca", amr: ["pwd", "otp"] };
  const at = "2026-01-01T10:00:00.000000Z";
  assert.deepEqual(given?.showings, [
    {
      ...{ step: "factor", way: "page", at: null, shown: null },
      ...{ shownHash: "the hash", subjectHash: "the hash" },
      answer: { at, decision: null, method: null, acr, amr, challengeId: "a challenge" },
    },
  ]);
});

test("a database of version 0.1.0 gets the newest schema when the bank opens", async () => {
  const rows = await database.query<{ name: string }>(
    sql`select name from migration order by name`,
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    listMigrations().map(({ name }) => name),
  );
});

test("the orders of version 0.1.0 are completed, and every invariant holds", async () => {
  const readStatuses = () => paymentStatuses(database);
  const statuses = await until(
    readStatuses,
    (all) => all.length === 4 && all.every((status) => status === "ACCC"),
  );
  assert.equal(statuses.length, 4);
  const debits = debitsOf(await second.books(), "second-current");
  assert.deepEqual(
    debits.map(({ amountMinor }) => Number(-amountMinor)).sort((one, other) => one - other),
    [600, 600, 600, 1234],
  );
  assert.deepEqual(await verifyInvariants(database, { hasOwnCore: true }), []);
});
