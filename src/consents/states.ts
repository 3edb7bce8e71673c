/**
 * Internal consent status: the v4 words for both APIs. `AWUP` is for files only; `CANC` and `EXPD`
 * are for account access only. Deletion is not a status: a deleted consent is gone for its TPP.
 */
export type ConsentStatus = "AWUP" | "AWAU" | "AUTH" | "RJCT" | "COND" | "CANC" | "EXPD";

/** What may happen to a consent. */
export type ConsentEvent = "upload" | "authorise" | "reject" | "consume" | "revoke" | "expire";

type Family = "payment" | "file" | "access";

const table: Record<
  Family,
  Partial<Record<ConsentStatus, Partial<Record<ConsentEvent, ConsentStatus>>>>
> = {
  // Source: P-104…P-106, P-118, P-148; digest 2.1.
  payment: {
    AWAU: { authorise: "AUTH", reject: "RJCT" },
    AUTH: { consume: "COND" },
  },
  // Source: digest 2.2.
  file: {
    AWUP: { upload: "AWAU", reject: "RJCT" },
    AWAU: { authorise: "AUTH", reject: "RJCT" },
    AUTH: { consume: "COND" },
  },
  // Authorising again is re-authentication. Source: A-103…A-111.
  access: {
    AWAU: { authorise: "AUTH", reject: "RJCT" },
    AUTH: { authorise: "AUTH", revoke: "CANC", expire: "EXPD" },
    CANC: { authorise: "AUTH" },
  },
};

/** The family whose table a consent kind follows. */
export function consentFamily(kind: string): Family {
  if (kind === "account-access") return "access";
  return kind === "file-payment" ? "file" : "payment";
}

/** The status after an event, or null where the table has no such cell. */
export function nextConsentStatus(
  kind: string,
  status: ConsentStatus,
  event: ConsentEvent,
): ConsentStatus | null {
  return table[consentFamily(kind)][status]?.[event] ?? null;
}

/** The statuses that an event may leave: what the writing statement names in its `where`. */
export function statusesBefore(kind: string, event: ConsentEvent): ConsentStatus[] {
  const rows = Object.entries(table[consentFamily(kind)]);
  return rows.filter(([, cells]) => cells[event]).map(([status]) => status as ConsentStatus);
}
