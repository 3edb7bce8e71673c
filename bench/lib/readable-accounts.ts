import { sha256 } from "#src/lib/hash.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import { accountIdAt } from "./history.ts";

/** The token that may read the n-th account, from 1. */
export const tokenOf = (account: number): string => `token-${account}`;

/** Adds accounts of one customer, each with a consent and a token. */
export async function addReadableAccounts(bank: AccountsBank, accounts: number): Promise<void> {
  const customerId = await bank.addCustomer();
  const accountId = await bank.addAccount(customerId);
  const { consentId } = await bank.addConsent({ customerId, accountIds: [accountId] });
  await copyReadable(bank.database, { consentId, accounts, now: bank.now });
}

/** Opens a bank over a database with such accounts, on a free port. */
export async function serveReadable(url: string): Promise<AccountsBank> {
  const bank = await AccountsBank.over(await openPostgres(url));
  bank.now = Temporal.Now.instant();
  await bank.app.listen({ port: 0, host: "127.0.0.1" });
  return bank;
}

type Copies = { consentId: string; accounts: number; now: Temporal.Instant };

/** Adds accounts of a consent's customer, each with a consent like that one and a token. */
export async function copyReadable(
  database: Database,
  { consentId, accounts, now }: Copies,
): Promise<void> {
  const ids = Array.from({ length: accounts }, (_, index) => accountIdAt(index + 1));
  const hashes = ids.map((_, index) => sha256(tokenOf(index + 1)));
  await database.query(sql`
    insert into account (account_id, account_type, account_sub_type, currency, holder_name,
      opened_on, status_updated_at)
    select id, 'Personal', 'CurrentAccount', 'GBP', 'Ann Example', '2019-05-01',
      '2019-05-01T09:30:00Z' from unnest(${ids}::text[]) id`);
  await database.query(sql`
    insert into account_holder (account_id, customer_id, role)
    select id, c.customer_id, 'owner' from consent c, unnest(${ids}::text[]) id
    where c.consent_id = ${consentId}`);
  await database.query(sql`
    insert into consent (consent_id, kind, api_version, client_id, status, created_at,
      status_updated_at, body, permissions, customer_id, grant_id, authorised_at,
      authenticated_at)
    select 'consent-' || id, c.kind, c.api_version, c.client_id, c.status, c.created_at,
      c.status_updated_at, c.body, c.permissions, c.customer_id, 'grant-' || id, c.authorised_at,
      c.authenticated_at
    from consent c, unnest(${ids}::text[]) id where c.consent_id = ${consentId}`);
  await database.query(sql`
    insert into consent_account (consent_id, account_id, covered_from)
    select 'consent-' || id, id, ${now}::timestamptz from unnest(${ids}::text[]) id`);
  await database.query(sql`
    insert into access_token (token_hash, kind, client_id, scope, grant_id, expires_at, payload)
    select hash, 'authorization_code', c.client_id, 'openid accounts', 'grant-' || id,
      ${now.add({ hours: 5 })}::timestamptz, '{}'
    from consent c, unnest(${ids}::text[], ${hashes}::text[]) as a(id, hash)
    where c.consent_id = ${consentId}`);
}

/** Divides the consents and tokens of `copyReadable` between so many copies of their TPP. */
export async function divideReaders(
  database: Database,
  { consentId, tpps }: { consentId: string; tpps: number },
): Promise<void> {
  const columns = sql`organisation_id, metadata, certificate_subject, created_at`;
  await database.query(sql`
    insert into client (client_id, software_id, ${columns})
    select 'reader-' || n, software_id, ${columns}
    from client, generate_series(1, ${tpps}::integer) n
    where client_id = (select client_id from consent where consent_id = ${consentId})`);
  await database.query(sql`
    insert into client_setting (client_id, software_id, organisation_id, certificate_bound)
    select client_id, software_id, organisation_id, false from client
    where client_id like 'reader-%' on conflict do nothing`);
  for (const table of [sql`consent`, sql`access_token`]) {
    await database.query(sql`
      update ${table}
      set client_id = 'reader-' || 1 + right(grant_id, 18)::bigint % ${tpps}::integer
      where grant_id like 'grant-acc-%'`);
  }
}
