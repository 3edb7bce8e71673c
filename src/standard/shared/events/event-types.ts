/** A type of event that the bank emits. */
type EventType = (typeof eventTypes)[number];

/** The name of a type of event, as it is stored. */
export type EventName = EventType["name"];

/**
 * The types of event that the bank emits. A subscription names a type by its code or its URN. The
 * URN is also the name of the member in a SET's `events`. Source: EV-26; OBEventType1Code.
 */
export const eventTypes = [
  {
    name: "resource-update",
    code: "UK.OBIE.Resource-Update",
    urn: "urn:uk:org:openbanking:events:resource-update",
  },
  {
    name: "consent-authorization-revoked",
    code: "UK.OBIE.Consent-Authorization-Revoked",
    urn: "urn:uk:org:openbanking:events:consent-authorization-revoked",
  },
  {
    name: "consent-access-revoked",
    code: "UK.OBIE.Consent-Access-Revoked",
    urn: "urn:uk:org:openbanking:events:consent-access-revoked",
  },
  {
    name: "account-access-consent-linked-account-update",
    code: "UK.OBIE.Account-Access-Consent-Linked-Account-Update",
    urn: "urn:uk:org:openbanking:events:account-access-consent-linked-account-update",
  },
  {
    // this code is in the profile of variable recurring payments, but not in the code set
    name: "domestic-vrp-consent-linked-account-update",
    code: "UK.OBIE.Domestic-VRP-Consent-Linked-Account-Update",
    urn: "urn:uk:org:openbanking:events:domestic-vrp-consent-linked-account-update",
  },
] as const;

/**
 * The published reasons of events about accounts. Source: EV-07,
 * OBExternalEventAccountAccessConsentLinkedAccountUpdateReason1Code.
 */
export const accountReasons = {
  closed: "UK.OBIE.AccountClosure",
  switched: "UK.OBIE.CASS",
} as const;

/** Finds the type with this code or URN. Returns undefined if there is none. */
export const findEventType = (text: string): EventType | undefined =>
  eventTypes.find(({ code, urn }) => text === code || text === urn);

/** Returns the type with this name. */
export const eventTypeOf = (name: EventName): EventType =>
  eventTypes.find((type) => type.name === name) as EventType; // the list has every name
