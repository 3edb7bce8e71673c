import type { InternationalTerms } from "#src/bank/port.ts";
import { NotAsked } from "./expect.ts";
import type { Kit } from "./kit.ts";

/** A currency that the core exchanges, other than that of `own`. */
export async function otherCurrency(kit: Kit): Promise<{ own: string; other: string }> {
  const { currency: own } = await kit.account("own");
  const other = kit.about.exchangeCurrencies?.find((one) => one !== own);
  if (other === undefined) throw new NotAsked("/about has no other currency to exchange");
  return { own, other };
}

/** The terms of an ordinary payment over SWIFT, at this promised rate, or at the core's if null. */
export const overSwift = (transferCurrency: string, rate: string | null): InternationalTerms => ({
  transferCurrency,
  rate,
  contractId: null,
  charge: null,
  deduction: null,
  network: "SWIFT",
  creditorAgent: null,
  fundsAtOnce: false,
});
