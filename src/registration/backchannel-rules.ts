import type { RequestContext } from "./certificate-subject.ts";
import { type ClaimRow, type Claims, isRedirectUri, unless } from "./claims.ts";

// What a client registers to begin journeys without a browser. Source: R-064…R-067

/** The grant type of client-initiated backchannel authentication (CIBA). */
export const backchannelGrant = "urn:openid:params:grant-type:ciba";

type MemberRow = ClaimRow<RequestContext>;

const metadata = { error: "invalid_client_metadata" } as const;

const uses = (claims: Claims): boolean =>
  Array.isArray(claims.grant_types) && claims.grant_types.includes(backchannelGrant);

/** The rule of an algorithm with which a client signs. */
export const algorithmFault: MemberRow["check"] = (value, { settings: { algorithms } }) =>
  unless(
    algorithms.some((one) => one === value),
    `be ${algorithms.join(" or ")}`,
  );

/** The rules of the members that a client of this grant needs. */
const rows: readonly MemberRow[] = [
  {
    rule: "R-064",
    claim: "backchannel_token_delivery_mode",
    ...metadata,
    check: (value) => unless(value === "poll" || value === "ping", "be poll or ping"),
  },
  {
    rule: "R-065",
    claim: "backchannel_client_notification_endpoint",
    ...metadata,
    check(value, { claims, settings: { isProduction } }) {
      if (claims.backchannel_token_delivery_mode !== "ping") return null;
      const local = isProduction ? "" : ", or an http URL on localhost";
      return unless(
        typeof value === "string" && isRedirectUri(value, { isProduction }),
        `be an https URL of at most 256 characters, without a fragment${local}`,
      );
    },
  },
  {
    rule: "R-066",
    claim: "backchannel_authentication_request_signing_alg",
    ...metadata,
    check: algorithmFault,
  },
  {
    rule: "R-067",
    claim: "backchannel_user_code_parameter",
    ...metadata,
    check: (value) => unless(value === undefined || value === false, "be absent or be false"),
  },
];

/** The same rules, for all clients: those without the grant may leave the members out. */
export const backchannelRows: readonly MemberRow[] = rows.map((row) => ({
  ...row,
  check: (value, context) => (uses(context.claims) ? row.check(value, context) : null),
}));

/** The members that are registered for a client with this grant, if the request has them. */
export const backchannelMembers = (claims: Claims): Record<string, unknown> =>
  uses(claims) ? Object.fromEntries(rows.map(({ claim }) => [claim, claims[claim]])) : {};
