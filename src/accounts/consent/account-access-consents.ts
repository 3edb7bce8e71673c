import type { AccountVersion } from "#src/accounts/versions/account-version.ts";
import type { Config } from "#src/config/config.ts";
import type { AccessConsents } from "#src/consents/access-consents.ts";
import { compileSchema } from "#src/http/body/validate.ts";
import { withinCalendar } from "#src/lib/date-time.ts";
import {
  type AccessRequest,
  dateOf,
  parseAccessRequest,
  permissionWords,
  renderDates,
} from "./access-request.ts";
import { accountAccessKind } from "./account-access-kind.ts";

// Consents to account access. access-request.ts reads and checks the body of a consent with its
// permissions. All access consents have the same operations
// (consents/access-consents.ts). This file adds the parts that are specific to account access.
// account-access-kind.ts defines the kind for the customer's journey, and data-clusters.ts has the
// texts of the permissions for the customer.

/**
 * The account access consents of one version; `supported` are the permissions that they may have.
 * Source: A-060…A-114, E-002…E-017.
 */
export function accountAccessConsents(
  { api, consent }: AccountVersion,
  supported: ReadonlySet<string>,
  { STRICT_OAS: strictDates }: Pick<Config, "STRICT_OAS">,
): AccessConsents<AccessRequest> {
  const words = { Permissions: permissionWords([...supported]) };
  const schema = compileSchema(consent.request, { strictDates, words });
  const day = (instant: Temporal.Instant | null) => instant && withinCalendar(instant);
  return {
    api,
    kind: accountAccessKind,
    path: "/account-access-consents",
    tag: "Account Access",
    title: "Account Access Consents",
    noun: "account access consent",
    idPrefix: "aac",
    ...consent,
    signed: false,
    refusals: ["U002", "U003", "U004", "U005"],
    read(body, now) {
      const data = parseAccessRequest(schema, body, supported, now);
      return {
        data,
        expiresAt: day(dateOf(data, "ExpirationDateTime")),
        permissions: [...new Set(data.Permissions)],
        transactionsFrom: day(dateOf(data, "TransactionFromDateTime")),
        transactionsTo: day(dateOf(data, "TransactionToDateTime")),
      };
    },
    render: (data) => ({ Permissions: data.Permissions, ...renderDates(data) }),
    beside: { Risk: {} },
  };
}
