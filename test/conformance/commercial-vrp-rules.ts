import type { RuleRow } from "./rule.ts";

/** The rules of a bank that offers variable recurring payments other than sweeping. */
export const commercialVrpRules: readonly RuleRow[] = [
  ["B-180", "only a TPP with a current contract may create a consent of a commercial type"],
  ["B-181", "each type is allowed separately, with a purpose and a maximum"],
  ["B-182", "a consent of the scheme is in pounds and has both maximums"],
  ["B-183", "the payments under contracts are listed for billing, with reproducible totals"],
  [
    "B-184",
    "a PISP warns its client about a consent that is unused for 13 months",
    "the warning is between the PISP and its client; a consent never ends because it is unused " +
      "(V-057)",
  ],
  [
    "B-185",
    "a dispute is linked to its order and consent",
    "this release does not handle disputes",
  ],
  ["B-186", "commercial payments are reported apart from sweeping"],
  ["B-187", "the customer's pages name the purpose in plain words, and the payee"],
  ["B-188", "consents without context, purpose or merchant category are counted, not refused"],
  ["CV-02", "a TPP that is active in the scheme needs no contract for the scheme's types"],
  ["CV-10", "the bank reads the list with a token of the directory, over mutual TLS"],
  ["CV-11", "the bank reads the scheme's whole list of participants"],
  ["CV-12", "the list has each organisation with its status"],
  ["CV-14", "a refusal of the list has a code and a message"],
  [
    "CV-15",
    "the list is read every 5 minutes, by one process at a time, and less often after failures",
  ],
  ["CV-16", "if the list cannot be read, or lacks an organisation, the status does not change"],
  [
    "CV-18",
    "a TPP whose organisation is suspended in the scheme or out of it may not use the scheme",
  ],
  ["CV-20", "a consent of the scheme is refused, with the type and the status in the message"],
  ["CV-21", "a payment and a funds confirmation are refused; reading and deleting are not"],
  ["CV-22", "after a suspension, payments work again without the customer"],
  ["CV-23", "if a TPP is out of the scheme, its consents that are only for the scheme end"],
  ["CV-24", "the status is read with each payment, and accepted payments continue"],
  [
    "CV-25",
    "the history of the client has each change of the status, and a metric has the age of the list",
  ],
  ["CV-26", "the sandbox's directory serves the list, and a control changes it"],
  [
    "CV-58",
    "a consent of the scheme has a payment context and an account type of the scheme's lists, which " +
      "are settings",
  ],
  [
    "CV-87",
    "the customer can pause and amend a permission at the bank",
    "amending is not offered: new limits need a new consent",
  ],
  [
    "CV-88",
    "a pause is a hold at the bank, not a status: payments are refused before acceptance, and " +
      "resuming needs no authentication",
  ],
  ["CV-71", "a consent of the scheme may omit its interaction types, which means OffSession"],
  ["CV-72", "a payment under such a consent may omit its interaction type"],
  ["CV-75", "consents without each of the seven risk indicators are counted, not refused"],
  ["CV-73", "a payment under such a consent may be InSession"],
];
