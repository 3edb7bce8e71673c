import type { AgentFact } from "#src/account-store/facts.ts";
import { identificationOf, nameOf, orNone } from "#src/accounts/views/creditor.ts";
import { addressTypes } from "#src/standard/aisp-v3.1/words.ts";
import type { PostalAddress } from "#src/standard/shared/accounts/facts.ts";

/** The lengths of v3.1, in which a line of an address is never longer than 70. Source: E-057. */
const longest = { line: 70, street: 70, town: 35 };

/**
 * An address in v3.1, which has no members for the parts of a building: they become lines, as does
 * a street or town that is too long for its member. There are at most `mostLines`. Source:
 * E-056…E-059.
 */
export function renderAddressV3(address: PostalAddress, mostLines: number) {
  const { kind, streetName, townName, lines = [] } = address;
  const { street, town } = longest;
  const outside = [
    address.careOf && `c/o ${address.careOf}`,
    address.department,
    address.subDepartment,
    [address.room, address.floor, address.unitNumber].filter(Boolean).join(", "),
    address.buildingName,
    streetName && streetName.length > street ? streetName : "",
    address.postBox && `PO Box ${address.postBox}`,
    address.townLocationName,
    address.districtName,
    townName && townName.length > town ? townName : "",
    ...lines,
  ];
  const all = outside.flatMap((line) => (line ? [line.slice(0, longest.line)] : []));
  return {
    ...(kind ? { AddressType: addressTypes[kind] } : {}),
    ...(all.length > 0 ? { AddressLine: all.slice(0, mostLines) } : {}),
    ...(streetName && streetName.length <= street ? { StreetName: streetName } : {}),
    ...(address.buildingNumber ? { BuildingNumber: address.buildingNumber } : {}),
    ...(address.postCode ? { PostCode: address.postCode } : {}),
    ...(townName && townName.length <= town ? { TownName: townName } : {}),
    ...(address.countrySubDivision ? { CountrySubDivision: address.countrySubDivision } : {}),
    // mandatory in v3.1
    Country: address.country ?? "GB",
  };
}

/**
 * The address of a bank in v3.1, which has members for departments, at most seven lines and no
 * mandatory country. Source: OBPostalAddress6, E-056.
 */
export function renderBankAddressV3({ department, subDepartment, ...address }: PostalAddress) {
  const { Country: _, ...rendered } = renderAddressV3(address, 7);
  return {
    ...(department ? { Department: department } : {}),
    ...(subDepartment ? { SubDepartment: subDepartment } : {}),
    ...rendered,
    ...(address.country ? { Country: address.country } : {}),
  };
}

/**
 * A `CreditorAgent` in v3.1, which identifies a bank by its BIC alone; undefined without a BIC.
 * Source: E-055.
 */
export const renderAgentV3 = (agent: AgentFact | null) =>
  agent?.bic ? identificationOf(agent) : undefined;

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
