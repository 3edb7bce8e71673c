import type { Bank, BankCustomer } from "#src/bank/port.ts";

// One call of a core takes both its own ids of customers and the `sub` of the bank's OpenID
// provider. A `sub` may equal the id of another customer, so never look up one as the other.

type CustomerCall = Pick<Bank, "loadCustomer">;

/** The customer who has logged in at the bank's OpenID provider; null if the core knows nobody. */
export const customerOfLogin = (bank: CustomerCall, sub: string): Promise<BankCustomer | null> =>
  bank.loadCustomer(sub, true);

/** Loads a customer by the id that the core uses; null if the core has no such customer. */
export async function customerById(
  bank: CustomerCall,
  customerId: string,
): Promise<BankCustomer | null> {
  const customer = await bank.loadCustomer(customerId);
  return customer?.customerId === customerId ? customer : null;
}
