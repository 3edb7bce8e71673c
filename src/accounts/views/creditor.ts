import type { AgentFact, CreditorFact } from "#src/account-store/facts.ts";
import type { ViewContext } from "#src/accounts/resource.ts";

/** The BIC of a bank. */
export const identificationOf = ({ bic }: AgentFact) =>
  bic ? { SchemeName: "UK.OBIE.BICFI", Identification: bic } : {};

/** The name of a bank. */
export const nameOf = ({ name }: AgentFact) => (name ? { Name: name.slice(0, 140) } : {});

/** Members, or undefined if there are none. */
export const orNone = <Members extends object>(members: Members): Members | undefined =>
  Object.keys(members).length > 0 ? members : undefined;

/** A `CreditorAccount`. A card's number is shown in full only with ReadPAN. Source: A-144. */
export const renderCreditorAccount = (
  { schemeName, identification, name, secondaryIdentification }: CreditorFact,
  { cardNumbers }: Pick<ViewContext, "cardNumbers">,
) => ({
  SchemeName: schemeName,
  Identification:
    schemeName === "UK.OBIE.PAN" && !cardNumbers ? maskPan(identification) : identification,
  // JSON leaves out what is undefined
  Name: name || undefined,
  SecondaryIdentification: secondaryIdentification?.slice(0, 34) || undefined,
});

/** Masks a card number except its last four digits: `**** **** **** 4444`. */
const maskPan = (pan: string): string => `**** **** **** ${pan.slice(-4)}`;
