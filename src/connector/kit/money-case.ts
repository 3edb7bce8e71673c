// What the cases about money share.

import { expectSame } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase } from "./kit-case.ts";

/** The rules of the contract about payments. */
export const moneyRules = {
  reserves: "reserve reserves the funds of a payment: reserved or refused.",
  executes: "execute makes a reserved payment: settled, pending, held or refused.",
  known:
    "A call for a payment that the core knows returns its outcome and changes nothing, even if " +
    "the other members differ.",
  asks: "ask returns the outcomes of payments, and changes nothing.",
  releases: "release releases the funds of payments that will not be executed.",
  lists:
    "listPayments lists the payments that reserve has received since a time, in a fixed order.",
  batch: "Outcomes name their payments. One payment does not stop the others of its batch.",
} as const;

/** The charge of payments that have one, in minor units. */
export const kitCharge = 2n;

/** How many calls are made at the same time. */
export const parallelCalls = 32;

/** Fails unless the balances of `own` have changed in this way. */
export async function expectChange(
  kit: Kit,
  expected: { booked?: bigint; available?: bigint },
  act: () => Promise<unknown>,
): Promise<void> {
  const found = await kit.change(kit.idOf("own"), act);
  for (const name of ["booked", "available"] as const) {
    if (expected[name] === undefined) continue;
    expectSame(found[name], expected[name], `the change of the ${name} balance in minor units`);
  }
}

/** Makes a case that moves money. */
export const moneyCase = (
  id: string,
  title: string,
  calls: KitCase["calls"],
  rule: string,
  run: KitCase["run"],
): KitCase => ({ id, title, calls, asks: ["mayBeSpent"], rule, run });

/** Makes a case that pays, and looks at the balance afterwards. */
export const payingCase = (id: string, title: string, rule: string, run: KitCase["run"]): KitCase =>
  moneyCase(id, title, ["reserve", "execute", "ask", "release", "loadFunds"], rule, run);
