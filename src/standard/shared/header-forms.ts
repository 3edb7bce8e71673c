import type { HeaderForm, HeaderRules } from "#src/standard/api-version.ts";

const days = "Mon|Tue|Wed|Thu|Fri|Sat|Sun";
const months = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";

/** The form of x-fapi-auth-date in every version. Source: P-014, A-010. */
export const authDate: HeaderForm = {
  pattern: new RegExp(`^(${days}), \\d{2} (${months}) \\d{4} \\d{2}:\\d{2}:\\d{2} (GMT|UTC)$`),
  advice: "Send the date as in `Sun, 10 Sep 2017 19:43:31 GMT`, or leave the header out.",
};

// The form is the same in every version. Source: P-042…P-045.
const keyOf = (version: string): HeaderRules["idempotencyKey"] => ({
  pattern: /^(?!\s).{0,39}\S$/u,
  advice: "Send 1 to 40 characters without white space at either end.",
  guide: `https://openbankinguk.github.io/read-write-api-site3/${version}/profiles/read-write-data-api-profile.html#idempotency`,
});

/** The rules of x-idempotency-key in v3.1. */
export const idempotencyKeyV3 = keyOf("v3.1.11");

/** The rules of x-idempotency-key in v4.0. */
export const idempotencyKeyV4 = keyOf("v4.0");

/** An interaction id that must be a UUID. Source: P-013. */
export const uuidInteractionId: HeaderForm = {
  pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  advice: "Send a UUID (RFC 4122), or leave the header out.",
};

/** An interaction id that may be any short printable text. Source: A-004. */
export const printableInteractionId: HeaderForm = {
  pattern: /^[\x20-\x7e]{1,128}$/,
  advice: "Send at most 128 printable ASCII characters, or leave the header out.",
};
