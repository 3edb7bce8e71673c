import { bankProducts } from "#src/sandbox/products/list-products.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { companies, contacts } from "./contacts.ts";
import { households } from "./households.ts";
import { personaOffers } from "./offers.ts";
import type { Household } from "./persona.ts";
import { createRandom } from "./random.ts";
import { stableId } from "./stable-id.ts";

const seedName = (household: string): string => `particulars ${household}`;

/**
 * Adds to the seeded households what is no money: products, who holds accounts and how to reach
 * them, offers. Does it once for each, also in a bank that was seeded before there was any of it.
 */
export async function seedParticulars(database: Database, now: Temporal.Instant): Promise<void> {
  await database.transaction(async (on) => {
    const names = households.map(({ name }) => seedName(name));
    const first = await on.query<{ name: string }>(sql`
      insert into sandbox_seed (name, seeded_at) select name, ${now} from unnest(${names}::text[])
        as wanted(name)
      on conflict do nothing returning name`);
    const missing = new Set(first.map(({ name }) => name));
    const some = households.filter(({ name }) => missing.has(seedName(name)));
    if (some.length === 0) return;
    await insertProducts(on, some);
    await insertParties(on, some);
    await insertOffers(on, some, now);
  });
}

const accountIdOf = ({ name }: Pick<Household, "name">, key: string): string =>
  stableId("acc", `${name} ${key}`);

const companyIdOf = (name: string): string => stableId("com", name);

/** A customer's number with the bank: it means nothing, and is the same in every sandbox. */
const partyNumberOf = (name: string): string =>
  String(createRandom(`customer number ${name}`).between(10_000_000, 99_999_999));

async function insertProducts(on: Queryable, some: readonly Household[]): Promise<void> {
  const products = bankProducts.map(({ details, debit }) => ({
    product_id: details.ProductId,
    name: details.ProductName,
    details,
    purchase_rate: details.ProductName.endsWith("Credit Card") ? debit : null,
  }));
  const accounts = some.flatMap((household) =>
    household.accounts.map(({ key, description }) => ({
      account_id: accountIdOf(household, key),
      product: description,
    })),
  );
  await on.query(sql`
    insert into product (product_id, name, details, purchase_rate)
    select product_id, name, details, purchase_rate
    from json_populate_recordset(null::product, ${JSON.stringify(products)}::json)
    on conflict do nothing`);
  await on.query(sql`
    update account a set product_id = p.product_id
    from json_to_recordset(${JSON.stringify(accounts)}::json) as g(account_id text, product text)
    join product p on p.name = g.product
    where a.account_id = g.account_id`);
}

async function insertParties(on: Queryable, some: readonly Household[]): Promise<void> {
  const logins = new Set(some.flatMap(({ personas }) => personas.map(({ login }) => login)));
  const firms = companies.map(({ name, legalStructure, contact }) => ({
    company_id: companyIdOf(name),
    name,
    legal_structure: legalStructure,
    contact: { partyNumber: partyNumberOf(name), ...contact },
  }));
  const people = Object.entries(contacts)
    .filter(([login]) => logins.has(login))
    .map(([login, contact]) => ({
      login,
      contact: { partyNumber: partyNumberOf(login), ...contact },
    }));
  await on.query(sql`
    insert into company (company_id, name, legal_structure, contact)
    select company_id, name, legal_structure, contact
    from json_populate_recordset(null::company, ${JSON.stringify(firms)}::json)
    on conflict do nothing`);
  await on.query(sql`
    update account a set company_id = c.company_id from company c
    where c.name = a.holder_name and a.company_id is null`);
  await on.query(sql`
    update customer c set contact = g.contact
    from json_to_recordset(${JSON.stringify(people)}::json) as g(login text, contact json)
    where c.login = g.login`);
}

async function insertOffers(
  on: Queryable,
  some: readonly Household[],
  now: Temporal.Instant,
): Promise<void> {
  const start = now.toZonedDateTimeISO("UTC").startOfDay().with({ day: 1 });
  const names = new Set(some.map(({ name }) => name));
  const offered = personaOffers.filter(({ household }) => names.has(household));
  const offers = offered.map(({ household, account, months, details }) => {
    const end = start.add({ months }).subtract({ seconds: 1 });
    return {
      offer_id: stableId("off", `${household} ${account} ${details.description}`),
      account_id: accountIdOf({ name: household }, account),
      ends_at: end.toInstant().toString(),
      details: {
        ...details,
        startsAt: start.toInstant().toString(),
        endsAt: end.toInstant().toString(),
      },
    };
  });
  await on.query(sql`
    insert into offer (offer_id, account_id, ends_at, details)
    select offer_id, account_id, ends_at, details
    from json_populate_recordset(null::offer, ${JSON.stringify(offers)}::json)`);
}
