/** A type of event that the bank emits. */
export type EventType = (typeof eventTypes)[number];

/** The name of a type of event, as it is stored. */
export type EventName = EventType["name"];

/**
 * The types of event that the bank emits: the code and the URN by which a subscription may name
 * each. The URN is the member of a SET's `events`. Source: EV-26; OBEventType1Code.
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
    name: "account-access-consent-linked-account-update",
    code: "UK.OBIE.Account-Access-Consent-Linked-Account-Update",
    urn: "urn:uk:org:openbanking:events:account-access-consent-linked-account-update",
  },
  {
    // the profile of variable recurring payments names it, and the code set does not
    name: "domestic-vrp-consent-linked-account-update",
    code: "UK.OBIE.Domestic-VRP-Consent-Linked-Account-Update",
    urn: "urn:uk:org:openbanking:events:domestic-vrp-consent-linked-account-update",
  },
] as const;

/** The type that a subscription names by its code or its URN; undefined for an unknown text. */
export const findEventType = (text: string): EventType | undefined =>
  eventTypes.find(({ code, urn }) => text === code || text === urn);

/** Returns the type with this name. */
export const eventTypeOf = (name: EventName): EventType =>
  eventTypes.find((type) => type.name === name) as EventType; // the list has every name
