import type { BankProduct } from "./bank-product.ts";
import { businessCreditCard, creditCard } from "./credit-cards.ts";
import { businessAccount, currencyAccount, everydayAccount } from "./current-accounts.ts";
import { businessSaver, instantSaver, savingsPot } from "./savings-accounts.ts";

/** All products of the sandbox bank. */
export const bankProducts: readonly BankProduct[] = [
  everydayAccount,
  businessAccount,
  currencyAccount,
  instantSaver,
  savingsPot,
  businessSaver,
  creditCard,
  businessCreditCard,
];

/** Returns the product with this name, which is an account's description; null if there is none. */
export const productNamed = (name: string): BankProduct | null =>
  bankProducts.find(({ details }) => details.ProductName === name) ?? null;
