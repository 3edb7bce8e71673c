import type { Bank, Beneficiary } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

type BeneficiaryCalls = Pick<
  Bank,
  "listBeneficiaries" | "saveBeneficiary" | "trustBeneficiary" | "removeBeneficiary"
>;

/** The bank's side of whom its customers pay. */
export function createBeneficiaryCalls(database: Database, clock: Clock): BeneficiaryCalls {
  return {
    listBeneficiaries: (customerId) =>
      database.query<Beneficiary>(sql`
        select beneficiary_id as "beneficiaryId", reference,
          creditor_bic as "creditorBic",
          beneficiary_type = 'Trusted' as "isTrusted",
          json_build_object('schemeName', scheme_name, 'identification', identification,
            'name', name, 'secondaryIdentification', secondary_identification) as creditor
        from beneficiary where customer_id = ${customerId} order by created_at, beneficiary_id`),

    async saveBeneficiary(customerId, { creditor, creditorBic, reference }) {
      const rows = await database.query(sql`
        insert into beneficiary (beneficiary_id, customer_id, scheme_name, identification, name,
          secondary_identification, creditor_bic, reference, created_at)
        values (${newId("ben")}, ${customerId}, ${creditor.schemeName},
          ${creditor.identification}, ${creditor.name}, ${creditor.secondaryIdentification},
          ${creditorBic},
          ${reference?.slice(0, 35) || null}, ${clock.now()})
        on conflict do nothing returning 1`);
      return rows.length === 1;
    },

    async trustBeneficiary(customerId, id, isTrusted) {
      const rows = await database.query(sql`
        update beneficiary set beneficiary_type = ${isTrusted ? "Trusted" : "Ordinary"}
        where beneficiary_id = ${id} and customer_id = ${customerId} returning 1`);
      return rows.length === 1;
    },

    async removeBeneficiary(customerId, id) {
      const rows = await database.query(sql`
        delete from beneficiary
        where beneficiary_id = ${id} and customer_id = ${customerId} returning 1`);
      return rows.length === 1;
    },
  };
}
