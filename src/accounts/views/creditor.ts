import type { AgentFact, CreditorFact } from "#src/account-store/facts.ts";
import type { ViewContext } from "#src/accounts/resource.ts";
import type { AccountProxy } from "#src/standard/shared/accounts/facts.ts";

/**
 * A `CreditorAgent` in v3.1, which identifies a bank by its BIC alone; undefined without a BIC.
 * Source: E-055.
 */
export const renderAgentV3 = (agent: AgentFact | null) =>
  agent?.bic ? { SchemeName: "UK.OBIE.BICFI", Identification: agent.bic } : undefined;

/** A `CreditorAgent` in v4.0, which names the bank too; undefined without a BIC. */
export const renderAgentV4 = (agent: AgentFact | null) =>
  agent?.bic
    ? {
        SchemeName: "UK.OBIE.BICFI",
        Identification: agent.bic,
        Name: agent.name?.slice(0, 140) || undefined,
      }
    : undefined;

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

/** A `CreditorAccount` in v4.0, which also has the account's alias. Source: E-061. */
export const renderCreditorAccountV4 = (
  creditor: CreditorFact,
  context: Pick<ViewContext, "cardNumbers">,
) => ({
  ...renderCreditorAccount(creditor, context),
  Proxy: creditor.proxy ? renderProxy(creditor.proxy) : undefined,
});

/** A `Proxy`: an alias of an account. */
export const renderProxy = ({ code, identification, type }: AccountProxy) => ({
  Identification: identification,
  Code: code,
  Type: type,
});

/** Masks a card number except its last four digits: `**** **** **** 4444`. */
const maskPan = (pan: string): string => `**** **** **** ${pan.slice(-4)}`;
