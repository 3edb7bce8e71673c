import { maskPan } from "#src/bank/transaction-members.ts";
import type { View } from "./resource.ts";

/** A creditor's account as the bank keeps it. */
export type StoredCreditor = {
  schemeName: string;
  identification: string;
  name?: string | null;
  secondaryIdentification?: string | null;
};

/** A `CreditorAccount`: a card's number in full with ReadPAN alone. Source: digest 3.1. */
export const renderCreditorAccount = (
  { schemeName, identification, name, secondaryIdentification }: StoredCreditor,
  { cardNumbers }: Pick<View, "cardNumbers">,
): object => ({
  SchemeName: schemeName,
  Identification:
    schemeName === "UK.OBIE.PAN" && !cardNumbers ? maskPan(identification) : identification,
  // JSON leaves out what is undefined
  Name: name || undefined,
  SecondaryIdentification: secondaryIdentification?.slice(0, 34) || undefined,
});
