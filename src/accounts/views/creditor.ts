import type { AgentFact, CreditorFact } from "#src/account-store/facts.ts";
import type { ViewContext } from "#src/accounts/resource.ts";
import type { AccountProxy } from "#src/standard/shared/accounts/facts.ts";
import { renderAddressV4, renderBankAddressV3 } from "./postal-address.ts";

const identificationOf = ({ bic }: AgentFact) =>
  bic ? { SchemeName: "UK.OBIE.BICFI", Identification: bic } : {};

const nameOf = ({ name }: AgentFact) => (name ? { Name: name.slice(0, 140) } : {});

/**
 * A `CreditorAgent` in v3.1, which identifies a bank by its BIC alone; undefined without a BIC.
 * Source: E-055.
 */
export const renderAgentV3 = (agent: AgentFact | null) =>
  agent?.bic ? identificationOf(agent) : undefined;

/** The `Servicer` of an account in v4.0, which names the bank too; undefined without a BIC. */
export const renderServicerV4 = (agent: AgentFact | null) =>
  agent?.bic ? { ...identificationOf(agent), ...nameOf(agent) } : undefined;

/** A `CreditorAgent` in v4.0, which has all facts of the bank; undefined without a BIC. */
export const renderAgentV4 = (agent: AgentFact | null) =>
  agent?.bic ? renderPayeeAgentV4(agent) : undefined;

/**
 * The `CreditorAgent` of a beneficiary in v3.1, for which a name or an address is enough; undefined
 * without any fact. Source: OBBranchAndFinancialInstitutionIdentification6.
 */
export const renderPayeeAgentV3 = (agent: AgentFact) =>
  orNone({
    ...identificationOf(agent),
    ...nameOf(agent),
    ...(agent.address ? { PostalAddress: renderBankAddressV3(agent.address) } : {}),
  });

/** The `CreditorAgent` of a beneficiary in v4.0, which has the LEI too. Source: E-060. */
export const renderPayeeAgentV4 = (agent: AgentFact) =>
  orNone({
    ...identificationOf(agent),
    ...nameOf(agent),
    ...(agent.lei ? { LEI: agent.lei } : {}),
    ...(agent.address ? { PostalAddress: renderAddressV4(agent.address) } : {}),
  });

const orNone = <Members extends object>(members: Members): Members | undefined =>
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
