import type { BeneficiaryFact, Versioned } from "#src/account-store/facts.ts";
import { applyChanges } from "#src/account-store/feed.ts";
import type { Bank, Beneficiary } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

type BeneficiaryCalls = Pick<
  Bank,
  "listBeneficiaries" | "saveBeneficiary" | "trustBeneficiary" | "removeBeneficiary"
>;

/** Creates the bank's calls about payees. */
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
      return database.transaction(async (on) => {
        await lockPayees(on, customerId);
        const known = await on.query(sql`
          select from beneficiary where customer_id = ${customerId}
            and scheme_name = ${creditor.schemeName}
            and identification = ${creditor.identification}
            and coalesce(secondary_identification, '')
              = ${creditor.secondaryIdentification ?? ""}::text
            and coalesce(creditor_bic, '') = ${creditorBic ?? ""}::text`);
        if (known.length > 0) return false;
        const payee: Versioned<BeneficiaryFact> = {
          ...creditor,
          version: 1n,
          beneficiaryId: newId("ben"),
          customerId,
          isTrusted: false,
          proxy: null,
          creditorBic,
          reference: reference?.slice(0, 35) || null,
          createdAt: clock.now(),
        };
        await applyChanges(on, { beneficiaries: [payee] });
        return true;
      });
    },

    async trustBeneficiary(customerId, id, isTrusted) {
      return change(customerId, id, (on, payee) =>
        applyChanges(on, {
          beneficiaries: [{ ...payee, version: payee.version + 1n, isTrusted }],
        }),
      );
    },

    async removeBeneficiary(customerId, id) {
      return change(customerId, id, (on, { version, beneficiaryId }) =>
        applyChanges(on, {
          removed: { beneficiaries: [{ beneficiaryId, version: version + 1n }] },
        }),
      );
    },
  };

  /**
   * Changes one of the customer's payees in a transaction. Returns false if the customer has no
   * such payee.
   */
  async function change(
    customerId: string,
    id: string,
    work: (on: Queryable, payee: Versioned<BeneficiaryFact>) => Promise<void>,
  ): Promise<boolean> {
    return database.transaction(async (on) => {
      await lockPayees(on, customerId);
      const payee = await first<Versioned<BeneficiaryFact>>(
        on,
        sql`select beneficiary_id as "beneficiaryId", customer_id as "customerId",
            beneficiary_type = 'Trusted' as "isTrusted", scheme_name as "schemeName",
            identification, name, secondary_identification as "secondaryIdentification", proxy,
            creditor_bic as "creditorBic", creditor_agent as "creditorAgent", supplementary,
            reference, created_at as "createdAt", version
          from beneficiary where beneficiary_id = ${id} and customer_id = ${customerId}`,
      );
      if (!payee) return false;
      await work(on, payee);
      return true;
    });
  }
}

// Each change reads the customer's list first, so changes must not overlap.
const lockPayees = (on: Queryable, customerId: string) =>
  on.query(sql`select from customer where customer_id = ${customerId} for no key update`);
