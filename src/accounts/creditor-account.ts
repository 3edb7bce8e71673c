import { maskPan } from "#src/bank/transaction-members.ts";
import type { ViewContext } from "./resource.ts";

/** A creditor's account as the bank keeps it. */
export type StoredCreditor = {
  schemeName: string;
  identification: string;
  name?: string | null;
  secondaryIdentification?: string | null;
};

/** The creditor's bank as payment initiation names it. */
export type StoredAgent = { SchemeName?: string; Identification?: string };

/**
 * A `CreditorAgent`: v3.1 takes a bank by its identification alone, and one that is named otherwise
 * is left out. Source: digest 3.0.
 */
export const renderCreditorAgent = (agent: StoredAgent | null): object | undefined =>
  agent?.SchemeName && agent.Identification
    ? { SchemeName: agent.SchemeName, Identification: agent.Identification.slice(0, 35) }
    : undefined;

/** A `CreditorAccount`: a card's number in full with ReadPAN alone. Source: digest 3.1. */
export const renderCreditorAccount = (
  { schemeName, identification, name, secondaryIdentification }: StoredCreditor,
  { cardNumbers }: Pick<ViewContext, "cardNumbers">,
): object => ({
  SchemeName: schemeName,
  Identification:
    schemeName === "UK.OBIE.PAN" && !cardNumbers ? maskPan(identification) : identification,
  // JSON leaves out what is undefined
  Name: name || undefined,
  SecondaryIdentification: secondaryIdentification?.slice(0, 34) || undefined,
});
