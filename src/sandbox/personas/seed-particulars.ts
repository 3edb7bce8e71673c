import type { PartyFact, Versioned } from "#src/account-store/facts.ts";
import { applyChanges } from "#src/account-store/feed.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { contacts } from "./contacts.ts";
import { households } from "./households.ts";
import { personaOffers } from "./offers.ts";
import { partyNumberOf } from "./party-number.ts";
import type { Household } from "./persona.ts";

const seedName = (household: string): string => `particulars ${household}`;

/** Adds the seeded households' people as parties, and the offers, once per household. */
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
    await applyChanges(on, { parties: partiesOf(some) });
    await storeOffers(on, some, now);
  });
}

const accountIdOf = ({ name }: Pick<Household, "name">, key: string): string =>
  stableId("acc", `${name} ${key}`);

const partiesOf = (some: readonly Household[]): Versioned<PartyFact>[] =>
  some.flatMap(({ personas }) =>
    personas.map(({ customerId, login, name }) => ({
      version: 1n,
      partyId: customerId,
      name,
      legalStructure: "UK.OBIE.Individual",
      lei: null,
      contact: { partyNumber: partyNumberOf(login), ...contacts[login] },
    })),
  );

async function storeOffers(
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
      version: 1n,
      offerId: stableId("off", `${household} ${account} ${details.description}`),
      accountId: accountIdOf({ name: household }, account),
      endsAt: end.toInstant(),
      details: {
        ...details,
        startsAt: start.toInstant().toString(),
        endsAt: end.toInstant().toString(),
      },
    };
  });
  await applyChanges(on, { offers });
}
