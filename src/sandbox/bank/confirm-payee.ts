import type { Bank } from "#src/bank/port.ts";
import { isOwnIdentification } from "./account-numbers.ts";
import { comparePayee } from "./payee-names.ts";

/** A payee at another bank whose name is known; null if that bank does not answer. */
export type KnownPayee = { number: string; holder: string | null };

/**
 * Creates the sandbox bank's confirmation of payee. It knows the holders of its own accounts and
 * the given payees; every other bank says that the name matches.
 */
export const createPayeeCalls = (
  findAccount: Bank["findAccount"],
  payees: readonly KnownPayee[],
): Required<Pick<Bank, "confirmPayee">> => ({
  async confirmPayee({ schemeName, identification, name, secondaryIdentification }) {
    const own = isOwnIdentification({ schemeName, identification })
      ? await findAccount(schemeName, identification, secondaryIdentification)
      : null;
    if (own === "ambiguous") return { result: "unavailable" };
    if (own) return comparePayee(name ?? "", own.holderName);
    // a UK IBAN ends with the sort code and the account number
    const known = payees.find(({ number }) => identification.endsWith(number));
    if (!known) return { result: "match" };
    if (known.holder === null) return { result: "unavailable" };
    return comparePayee(name ?? "", known.holder);
  },
});
