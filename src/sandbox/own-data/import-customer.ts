import { randomBytes } from "node:crypto";
import { applyChanges } from "#src/account-store/feed.ts";
import type { Clock } from "#src/lib/clock.ts";
import { hashPassword } from "#src/sandbox/bank/password.ts";
import { makeStatements } from "#src/sandbox/bank/statements.ts";
import { partyNumberOf } from "#src/sandbox/personas/party-number.ts";
import { newPersona, type Persona } from "#src/sandbox/personas/persona.ts";
import { insertCustomers, storeHousehold } from "#src/sandbox/personas/seed-personas.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { checkDocument, type DocumentFault } from "./check-document.ts";
import type { CustomerDocument } from "./document.ts";
import { momentOf } from "./regular.ts";
import { shiftDates } from "./shift-dates.ts";
import { personaOf, toHousehold } from "./to-household.ts";

/** The error for a document that cannot be stored: nothing of it is. */
export class CustomerRefused extends Error {
  readonly statusCode: 400 | 409;
  readonly faults: readonly DocumentFault[];
  constructor(status: CustomerRefused["statusCode"], faults: readonly DocumentFault[]) {
    super("The customer cannot be created with these values. Nothing was stored.");
    this.statusCode = status;
    this.faults = faults;
  }
}

/** How a customer is imported. */
export type ImportOptions = {
  /** Moves the dates from the document's time to the bank's time. */
  shift?: boolean;
};

/**
 * Creates a customer with everything that a checked document holds, in one transaction, and then
 * the statements of the months that have ended. Throws CustomerRefused.
 */
export async function importCustomer(
  { database, clock }: { database: Database; clock: Clock },
  given: CustomerDocument,
  { shift = false }: ImportOptions = {},
): Promise<void> {
  const now = clock.now();
  const document = shift ? shiftDates(given, asOfOf(given), now) : given;
  const seeded = await database.transaction(async (on) => {
    // one at a time, so that two cannot take the same login or number
    await on.query(sql`select pg_advisory_xact_lock(hashtext('own customers'))`);
    const others = await checked(on, document, now);
    const household = toHousehold(document, others, now);
    await insertCustomers(on, [personaOf(document)]);
    await storeHousehold(on, household);
    await storeParty(on, document);
    await storeBeneficiaries(on, document, now);
    const { customerId, description } = personaOf(document);
    await on.query(sql`
      insert into own_customer (customer_id, description, created_at)
      values (${customerId}, ${description}, ${now})`);
    return household;
  });
  await makeStatements(database, now, [...seeded.accountIds.values()]);
}

/** The time for which a document is written. Throws CustomerRefused. */
function asOfOf({ asOf }: CustomerDocument): Temporal.Instant {
  const instant = asOf === undefined ? null : momentOf(asOf);
  if (instant) return instant;
  const message =
    "The bank can move the dates only if it knows for which time they are written. Give that " +
    "time, such as 2026-11-24T09:00:00Z. An export has it.";
  const code = asOf === undefined ? "missing" : "invalid";
  throw new CustomerRefused(400, [{ code, path: "asOf", message }]);
}

/** Checks a document. Returns the customers with whom its customer shares accounts. */
async function checked(
  on: Queryable,
  document: CustomerDocument,
  now: Temporal.Instant,
): Promise<Persona[]> {
  const holders = document.accounts.flatMap(({ holders: all = [] }) => all);
  const named = [...new Set([document.login, ...holders.map(({ login }) => login)])];
  const known = await on.query<Pick<Persona, "login" | "name" | "kind">>(sql`
    select c.login, c.name, c.kind from customer c
    left join own_customer o on o.customer_id = c.customer_id
    where c.login = any(${named}::text[])
      and (c.login = ${document.login} or o.deleted_at is null)`);
  if (known.some(({ login }) => login === document.login)) {
    const message =
      "This bank has or had a customer with this login. Choose another one, or reset the world.";
    throw new CustomerRefused(409, [{ code: "taken", path: "login", message }]);
  }
  const numbers = document.accounts.flatMap(({ number }) => number ?? []);
  const taken = await on.query<{ number: string }>(sql`
    select sort_code_account_number as number from account
    where sort_code_account_number = any(${numbers}::text[]) and status <> 'Deleted'`);
  const faults = checkDocument(document, {
    now,
    logins: new Set(known.map(({ login }) => login)),
    numbers: new Set(taken.map(({ number }) => number)),
  });
  if (faults.length > 0) throw new CustomerRefused(400, faults);
  return known.map(({ login, name, kind }) => newPersona(login, name, "", kind));
}

async function storeParty(on: Queryable, document: CustomerDocument): Promise<void> {
  const { login, name, contact = {} } = document;
  const { address, ...rest } = contact;
  const whole = address
    ? { address: { kind: "Residential" as const, country: "GB", ...address } }
    : {};
  const party = {
    version: 1n,
    partyId: personaOf(document).customerId,
    name,
    legalStructure: "UK.OBIE.Individual",
    lei: null,
    contact: { partyNumber: partyNumberOf(login), ...rest, ...whole },
  };
  await applyChanges(on, { parties: [party] });
}

async function storeBeneficiaries(
  on: Queryable,
  document: CustomerDocument,
  now: Temporal.Instant,
): Promise<void> {
  const { login, beneficiaries = [] } = document;
  const { customerId } = personaOf(document);
  await applyChanges(on, {
    beneficiaries: beneficiaries.map((one, index) => ({
      version: 1n,
      beneficiaryId: stableId("ben", `${login} ${one.identification}`),
      customerId,
      isTrusted: one.isTrusted ?? false,
      schemeName: one.schemeName,
      identification: one.identification,
      name: one.name,
      secondaryIdentification: null,
      proxy: null,
      creditorBic: null,
      reference: one.reference ?? null,
      // lists are in the order of the document
      createdAt: now.add({ milliseconds: index - beneficiaries.length }),
    })),
  });
}

/** Makes it impossible to log in as a customer, who stays as a record. */
export async function endCustomer(
  on: Queryable,
  customerId: string,
  now: Temporal.Instant,
): Promise<void> {
  const nobodys = await hashPassword(randomBytes(32).toString("base64url"));
  await on.query(sql`
    update customer set password_hash = ${nobodys} where customer_id = ${customerId}`);
  await on.query(sql`
    update own_customer set deleted_at = ${now} where customer_id = ${customerId}`);
}

/** Lists the customers that developers have brought, without the deleted ones. */
export async function listOwnCustomers(on: Queryable): Promise<Persona[]> {
  const rows = await on.query<Pick<Persona, "login" | "name" | "kind" | "description">>(sql`
    select c.login, c.name, c.kind, o.description from own_customer o
    join customer c on c.customer_id = o.customer_id
    where o.deleted_at is null order by o.created_at, c.login`);
  return rows.map(({ login, name, description, kind }) =>
    newPersona(login, name, description, kind),
  );
}
