import type { ViewContext } from "./resource.ts";

/** A creditor's account as a fact. */
export type CreditorFacts = {
  schemeName: string;
  identification: string;
  name?: string | null;
  secondaryIdentification?: string | null;
};

/** The creditor's bank as a fact: its BIC, and its name if the bank knows one. */
export type AgentFacts = { bic: string | null; name?: string | null };

/**
 * A `CreditorAgent` in v3.1, which identifies a bank by its BIC alone; undefined without a BIC.
 * Source: E-055.
 */
export const renderAgentV3 = (agent: AgentFacts | null) =>
  agent?.bic ? { SchemeName: "UK.OBIE.BICFI", Identification: agent.bic } : undefined;

/** A `CreditorAgent` in v4.0, which names the bank too; undefined without a BIC. */
export const renderAgentV4 = (agent: AgentFacts | null) =>
  agent?.bic
    ? {
        SchemeName: "UK.OBIE.BICFI",
        Identification: agent.bic,
        Name: agent.name?.slice(0, 140) || undefined,
      }
    : undefined;

/** A `CreditorAccount`. A card's number is shown in full only with ReadPAN. Source: A-144. */
export const renderCreditorAccount = (
  { schemeName, identification, name, secondaryIdentification }: CreditorFacts,
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
