import type { Config } from "#src/config/config.ts";
import type { AccessConsents } from "#src/consents/access-consents.ts";
import type { FundsVersion } from "#src/funds/versions/funds-version.ts";
import { compileSchema } from "#src/http/body/validate.ts";
import { withinCalendar } from "#src/lib/date-time.ts";
import { plainText } from "#src/lib/plain-text.ts";
import { fundsConfirmationKind } from "./funds-confirmation-kind.ts";
import {
  expiryOf,
  type FundsRequest,
  offeredSchemes,
  parseFundsRequest,
  renderFundsRequest,
} from "./funds-request.ts";

/** The funds confirmation consents of one version. Source: C-001…C-022, C-050…C-061. */
export function fundsConsents(
  { api, consent, accountMembers, signed }: FundsVersion,
  { STRICT_OAS: strictDates }: Pick<Config, "STRICT_OAS">,
): AccessConsents<FundsRequest> {
  const words = { "DebtorAccount.SchemeName": `one of ${offeredSchemes.join(", ")}` };
  const schema = compileSchema(consent.request, { characters: plainText, strictDates, words });
  return {
    api,
    kind: fundsConfirmationKind,
    path: "/funds-confirmation-consents",
    tag: "Funds Confirmation Consents",
    title: "Funds Confirmation Consents",
    noun: "funds confirmation consent",
    idPrefix: "fcc",
    ...consent,
    signed,
    refusals: ["U002", "U003", "U004", "U005", "U021", "U027"],
    read(body, now) {
      const data = parseFundsRequest(schema, accountMembers, body, now);
      const expiry = expiryOf(data.ExpirationDateTime);
      return {
        data,
        expiresAt: expiry && withinCalendar(expiry),
        permissions: [],
        transactionsFrom: null,
        transactionsTo: null,
      };
    },
    render: (data) => renderFundsRequest(data, accountMembers),
    beside: {},
  };
}
