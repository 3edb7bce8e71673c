import Type from "typebox";
import { closedAmount } from "#src/standard/shared/amount.ts";
import { dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { countryCode } from "#src/standard/shared/v4/parties.ts";

const authority = open(
  { Name: Type.Optional(text(140)), CountryCode: Type.Optional(countryCode) },
  { title: "OBRegulatoryAuthority2" },
);

const detail = open(
  {
    Type: Type.Optional(text(35)),
    Date: Type.Optional(dateTime()),
    Country: Type.Optional(countryCode),
    Amount: Type.Optional(closedAmount),
    Information: Type.Optional(Type.Array(text(35))),
  },
  { title: "OBStructuredRegulatoryReporting3" },
);

const report = open(
  {
    DebitCreditReportingIndicator: Type.Optional(oneOf(["CRED", "DEBT", "BOTH"])),
    Authority: Type.Optional(authority),
    Details: Type.Optional(Type.Array(detail)),
  },
  { title: "OBRegulatoryReporting1" },
);

/**
 * Information about a payment for authorities. Source: PISP profile, OBRegulatoryReporting1, P-086.
 */
export const regulatoryReporting = Type.Array(report, { maxItems: 10 });
