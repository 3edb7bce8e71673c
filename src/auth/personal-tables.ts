import {
  isOneOf,
  ofCustomer,
  ofGrant,
  type PersonalTable,
  personalTable,
  whyStays,
} from "#src/storage/personal-table.ts";
import { sql } from "#src/storage/sql.ts";
import { askedLimits, factorLimit } from "./login/methods/method.ts";

/** The tables of logins and approvals in progress, as far as they are about a customer. */
export const loginDataTables: readonly PersonalTable[] = [
  personalTable("journey", whyStays.brief, ofCustomer),
  personalTable(
    "backchannel_request",
    whyStays.brief,
    ({ customerId }) => sql`t.uid in (
      select j.uid from journey j where j.customer_id = ${customerId})`,
    ["id_hash", "request_hash"],
  ),
  // counts by a login that somebody has typed are not known to be about anybody
  personalTable("login_attempt", whyStays.brief, ({ customerId }) => {
    const counted = [factorLimit({ customerId }), ...askedLimits({ customerId })];
    return sql`(${isOneOf(
      sql`t.subject`,
      counted.map(({ subject }) => subject),
    )} or starts_with(t.subject, ${`asked:${customerId} by `}))`;
  }),
  personalTable("login_challenge", whyStays.brief, ofCustomer),
  personalTable("own_session", whyStays.brief, ofCustomer, ["session_hash"]),
  personalTable("access_token", whyStays.brief, ofGrant, ["token_hash", "payload"]),
  personalTable("oidc_artifact", whyStays.brief, ofGrant, ["id_hash", "payload"]),
];
