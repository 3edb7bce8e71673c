import { readdirSync, readFileSync } from "node:fs";
import { applyChanges } from "#src/account-store/feed.ts";
import { sha256 } from "#src/lib/hash.ts";
import { hashPassword } from "#src/sandbox/bank/password.ts";
import { makeDueStatements } from "#src/sandbox/bank/statements.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { listMigrations } from "#src/storage/migrate.ts";
import { sql } from "#src/storage/sql.ts";
import { householdFacts } from "./account-facts.ts";
import { makeHistory } from "./history.ts";
import { households } from "./households.ts";
import type { Household, Persona } from "./persona.ts";
import { storeReadyContracts } from "./ready-contracts.ts";
import { seedParticulars } from "./seed-particulars.ts";
import { storeBeneficiaries } from "./store-beneficiaries.ts";
import { type SeededHousehold, storeDirectDebits } from "./store-direct-debits.ts";
import { storeHistory } from "./store-history.ts";
import { storeIncomes } from "./store-incomes.ts";
import { storeScheduledPayments } from "./store-scheduled-payments.ts";
import { storeStandingOrders } from "./store-standing-orders.ts";

/**
 * The transactions of a household in a bank that is copied: in worlds and in tests. More would make
 * every copy larger and slower: all 100,000 take 285 MB.
 */
export const newestInCopies = 2000;

/** An id of the schema and of the customers that this version makes. Reads all their files. */
export function seedVersion(): string {
  const folder = new URL("./", import.meta.url);
  const files = readdirSync(folder).sort();
  const texts = files.map((file) => readFileSync(new URL(file, folder), "utf8"));
  const all = [...listMigrations().map(({ text }) => text), ...texts];
  return sha256(all.join("\0")).replace(/[-_]/g, "").toLowerCase().slice(0, 12);
}

type SeedOptions = {
  /** The history ends at the start of this day (UTC). */
  now: Temporal.Instant;
  /** Keeps only the newest transactions of each household; for tests. */
  newest?: number;
  onProgress?: (text: string, done?: number, total?: number) => void;
};

/**
 * Fills the bank with the personas, their accounts, 18 months of transactions, statements and
 * everything else that belongs to them. It creates only what is missing, with one transaction per
 * household. If several processes seed, one works and the others wait.
 */
export function seedPersonas(database: Database, options: SeedOptions): Promise<void> {
  const { onProgress = () => undefined } = options;
  return database.alone(
    "seed",
    (session) => seed(session, options),
    (holder) => onProgress(`Waiting for ${holder}, which is filling the database`, 0, 1),
  );
}

async function seed(database: Database, options: SeedOptions): Promise<void> {
  const { now, onProgress = () => undefined } = options;
  const seeded = await database.query<{ name: string }>(sql`select name from sandbox_seed`);
  const done = new Set(seeded.map(({ name }) => name));
  const missing = households.filter(({ name }) => !done.has(seedName(name)));
  for (const household of missing) {
    const names = household.personas.map(({ name }) => name).join(" and ");
    const text = `Creating 18 months of transactions for ${names}`;
    onProgress(text, 0, 1);
    await database.transaction((transaction) =>
      seedHousehold(transaction, prepare(household, options), now, (count, total) =>
        onProgress(text, count, total),
      ),
    );
  }
  await seedParticulars(database, now);
  if (missing.length > 0) onProgress("Making statements", 0, 1);
  const statements = await makeDueStatements(database, now);
  if (missing.length === 0 && statements === 0) return;
  // the embedded database has no autovacuum, and plans are bad without statistics
  await database.execute("analyze");
}

// longer than any history
const youngest = Temporal.Duration.from({ years: 2 });

/** The household with the wanted number of transactions, and with accounts older than these. */
function prepare(household: Household, { newest, now }: SeedOptions): Household {
  const latest = now.toZonedDateTimeISO("UTC").toPlainDate().subtract(youngest).toString();
  const accounts = household.accounts.map((account) =>
    account.openedOn > latest ? { ...account, openedOn: latest } : account,
  );
  return { ...household, accounts, ...(newest === undefined ? {} : { newest }) };
}

const seedName = (household: string): string => `household ${household}`;

async function seedHousehold(
  on: Queryable,
  household: Household,
  now: Temporal.Instant,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const first = await on.query(sql`
    insert into sandbox_seed (name, seeded_at) values (${seedName(household.name)}, ${now})
    on conflict do nothing returning name`);
  if (first.length === 0) return;
  const accountIds = new Map(
    household.accounts.map(({ key }) => [key, stableId("acc", `${household.name} ${key}`)]),
  );
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  const history = makeHistory(household, today);
  const seeded = { household, history, accountIds, now };
  await insertCustomers(on, household.personas);
  await storeHousehold(on, seeded, onProgress);
  await storeReadyContracts(on, household.name, accountIds, now);
  await storeBeneficiaries(on, seeded);
  await storeIncomes(on, seeded);
}

/** Stores the accounts of a household whose customers exist, and what belongs to the accounts. */
export async function storeHousehold(
  on: Queryable,
  seeded: SeededHousehold,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<void> {
  const { household, history, accountIds } = seeded;
  await insertAccounts(on, household, accountIds);
  await storeHistory(on, household.name, history, accountIds, onProgress);
  await storeDirectDebits(on, seeded);
  await storeStandingOrders(on, seeded);
  await storeScheduledPayments(on, seeded);
}

/** Stores people, who can log in from then on. */
export async function insertCustomers(on: Queryable, personas: readonly Persona[]): Promise<void> {
  const rows = await Promise.all(
    personas.map(async (persona) => ({
      customer_id: persona.customerId,
      login: persona.login,
      name: persona.name,
      kind: persona.kind,
      password_hash: await hashPassword(persona.password),
      totp_secret: persona.totpSecret,
    })),
  );
  await on.query(sql`
    insert into customer (customer_id, login, name, kind, password_hash, totp_secret)
    select customer_id, login, name, kind, password_hash, totp_secret
    from json_populate_recordset(null::customer, ${JSON.stringify(rows)}::json)`);
}

async function insertAccounts(
  on: Queryable,
  household: Household,
  accountIds: ReadonlyMap<string, string>,
): Promise<void> {
  await applyChanges(on, householdFacts(household, accountIds));
  const ledger = household.accounts.map(({ key, currency = "GBP", limit }) => ({
    account_id: accountIds.get(key),
    currency,
    overdraft_limit_minor: limit,
  }));
  await on.query(sql`
    insert into ledger_account (account_id, kind, currency, overdraft_limit_minor)
    select account_id, 'customer', currency, overdraft_limit_minor
    from json_populate_recordset(null::ledger_account, ${JSON.stringify(ledger)}::json)`);
}
