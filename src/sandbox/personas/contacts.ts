import type { AddressKind, PostalAddress } from "#src/standard/shared/accounts/facts.ts";
import { type OutcomeUser, outcomeUsers } from "./outcome-users.ts";

/** The contact details that the bank has of a person. Numbers are in the standard's format. */
type Contact = {
  fullLegalName: string;
  email: string;
  /** A landline number; null if there is none. */
  phone: string | null;
  mobile: string | null;
  address: PostalAddress;
};

/** A company that owns accounts. Its name is the holder name of the accounts. */
export type Company = {
  name: string;
  /** The company's legal structure, as a code of the standard. */
  legalStructure: string;
  /** Its legal entity identifier. */
  lei: string;
  contact: Contact;
};

type Address = [number: string, street: string, town: string, county: string, postCode: string];

const addressOf = (
  kind: AddressKind,
  [buildingNumber, streetName, townName, countrySubDivision, postCode]: Address,
): PostalAddress => ({
  kind,
  buildingNumber,
  streetName,
  townName,
  countrySubDivision,
  postCode,
  country: "GB",
});

function person(
  fullLegalName: string,
  email: string,
  numbers: [phone: string | null, mobile: string],
  address: Address,
): Contact {
  const [phone, mobile] = numbers;
  return { fullLegalName, email, phone, mobile, address: addressOf("Residential", address) };
}

const whitfields: Address = ["27", "Larchfield Road", "Leeds", "West Yorkshire", "LS0 4QT"];
const joinery: Address = ["Unit 7", "Foundry Yard", "Leeds", "West Yorkshire", "LS0 9DW"];

/** The contact details of a customer whose user name is a trigger. */
function contactOf({ login, name }: OutcomeUser, index: number): Contact {
  const number = String(800 + index);
  const address: Address = [number, "Sandgate", "Leeds", "West Yorkshire", "LS0 8AA"];
  return person(name, `${login}@mail.example`, [null, `+44-7700900${number}`], address);
}

// All contacts are invented: .example addresses, numbers that Ofcom reserves for drama, and
// postcodes that have never been assigned. No issuer of legal entity identifiers has the prefix
// 0000.
/** The contact details of each persona, by login. */
export const contacts: Readonly<Record<string, Contact>> = {
  amara: person(
    "Miss Amara Chidinma Okafor",
    "amara.okafor@mail.example",
    ["+44-2079460112", "+44-7700900118"],
    ["Flat 4, 16", "Harbour Street", "London", "Greater London", "E0 8PL"],
  ),
  ben: person(
    "Mr Benjamin Thomas Whitfield",
    "ben@whitfield.example",
    ["+44-1134960231", "+44-7700900231"],
    whitfields,
  ),
  chloe: person(
    "Mrs Chloe Anne Whitfield",
    "chloe@whitfield.example",
    ["+44-1134960231", "+44-7700900232"],
    whitfields,
  ),
  dev: person(
    "Mr Dev Rajesh Patel",
    "dev@patel-nystrom.example",
    ["+44-1134960377", "+44-7700900377"],
    ["5", "Chantry Close", "Leeds", "West Yorkshire", "LS0 7RB"],
  ),
  elin: person(
    "Ms Elin Maria Nystrom",
    "elin@patel-nystrom.example",
    ["+44-1134960378", "+44-7700900378"],
    ["112", "Beckside Lane", "Leeds", "West Yorkshire", "LS0 2HN"],
  ),
  finn: person(
    "Mr Finn Patrick Doyle",
    "finn.doyle@mail.example",
    [null, "+44-7700900419"],
    ["Room 3, 88", "Dockside", "Bristol", "Bristol", "BS0 1TU"],
  ),
  grace: person(
    "Dr Grace Oluwaseun Adeyemi",
    "grace.adeyemi@mail.example",
    ["+44-1174960504", "+44-7700900504"],
    ["9", "Orchard Terrace", "Bristol", "Bristol", "BS0 6JX"],
  ),
  harriet: person(
    "Mrs Harriet Joan Hale",
    "harriet@hale-and-crumb.example",
    ["+44-1632960617", "+44-7700900617"],
    ["2", "Mill Cottages", "York", "North Yorkshire", "YO0 5EA"],
  ),
  ...Object.fromEntries(outcomeUsers.map((user, index) => [user.login, contactOf(user, index)])),
  iris: person(
    "Ms Iris Claire Marchand",
    "iris@marchand.example",
    ["+44-2079460726", "+44-7700900726"],
    ["31", "Canal Walk", "London", "Greater London", "N0 3KD"],
  ),
};

/** The companies among the holders of accounts. */
export const companies: readonly Company[] = [
  {
    name: "Patel Nystrom Joinery Ltd",
    legalStructure: "UK.OBIE.PrivateLimitedCompany",
    lei: "000000PATELNYSTROM13",
    contact: {
      fullLegalName: "Patel Nystrom Joinery Limited",
      email: "accounts@patel-nystrom.example",
      phone: "+44-1134960370",
      mobile: null,
      address: addressOf("Business", joinery),
    },
  },
  {
    name: "Hale and Crumb Coffee Ltd",
    legalStructure: "UK.OBIE.PrivateLimitedCompany",
    lei: "000000HALECRUMBCOF41",
    contact: {
      fullLegalName: "Hale and Crumb Coffee Limited",
      email: "hello@hale-and-crumb.example",
      phone: "+44-1632960610",
      mobile: null,
      address: addressOf("Business", ["14", "Market Row", "York", "North Yorkshire", "YO0 1SA"]),
    },
  },
];
