import type { AgentFact, CreditorFact } from "#src/account-store/facts.ts";
import type { ViewContext } from "#src/accounts/resource.ts";
import {
  identificationOf,
  nameOf,
  orNone,
  renderCreditorAccount,
} from "#src/accounts/views/creditor.ts";
import type { AccountProxy, PostalAddress } from "#src/standard/shared/accounts/facts.ts";
import { addressTypeCodes } from "#src/standard/shared/v4/parties.ts";

/** An address in v4.0, which has a member for each part. Source: E-056, E-058. */
export const renderAddressV4 = ({ kind, lines, ...address }: PostalAddress) => ({
  ...(kind ? { AddressType: addressTypeCodes[kind] } : {}),
  // JSON leaves out what is undefined
  CareOf: address.careOf,
  Department: address.department,
  SubDepartment: address.subDepartment,
  Room: address.room,
  Floor: address.floor,
  UnitNumber: address.unitNumber,
  BuildingName: address.buildingName,
  BuildingNumber: address.buildingNumber,
  StreetName: address.streetName,
  PostBox: address.postBox,
  TownLocationName: address.townLocationName,
  DistrictName: address.districtName,
  TownName: address.townName,
  CountrySubDivision: address.countrySubDivision,
  PostCode: address.postCode,
  Country: address.country,
  AddressLine: lines,
});

/** The `Servicer` of an account in v4.0, which names the bank too; undefined without a BIC. */
export const renderServicerV4 = (agent: AgentFact | null) =>
  agent?.bic ? { ...identificationOf(agent), ...nameOf(agent) } : undefined;

/** A `CreditorAgent` in v4.0, which has all facts of the bank; undefined without a BIC. */
export const renderAgentV4 = (agent: AgentFact | null) =>
  agent?.bic ? renderPayeeAgentV4(agent) : undefined;

/** The `CreditorAgent` of a beneficiary in v4.0, which has the LEI too. Source: E-060. */
export const renderPayeeAgentV4 = (agent: AgentFact) =>
  orNone({
    ...identificationOf(agent),
    ...nameOf(agent),
    ...(agent.lei ? { LEI: agent.lei } : {}),
    ...(agent.address ? { PostalAddress: renderAddressV4(agent.address) } : {}),
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
