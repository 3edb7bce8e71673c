import type { FaultCode } from "#src/standard/faults.ts";

import { type Advice, advise as adviseOn } from "./advice-row.ts";
import { reasonAdvice } from "./reason-advice.ts";
import { registrationAdvice } from "./registration-advice.ts";

// the answer itself names the place and what is expected
const advise = (next: string, rules = "", ...sections: string[]): Advice =>
  adviseOn(null, null, next, rules, ...sections);

const signing = "Read/Write profile, Message Signing";
const errors = "Read/Write profile, Errors";
const idempotency = "Read/Write profile, Idempotency";
const bearer = "RFC 6750 section 3.1";

const otherPayee = "Ask the customer for another account of the payee, with a new consent.";
const otherAccount = "Use another account, with a new consent: the reason says which one is meant.";
const otherPayer = "Ask the customer to choose another account, with a new consent.";

/** The advice on each error code. */
export const codeAdvice: Readonly<Record<FaultCode, Advice>> = {
  U000: advise(
    "Send the same request again later, with the same idempotency key if it has one.",
    "P-024",
  ),
  U001: advise("Add the member, or leave out the one that demands it.", "P-119 P-120 P-142"),
  U002: advise(
    "Correct the value, and send the request again, with a new idempotency key if it has one.",
    "P-066 P-068 P-069",
  ),
  U003: advise(
    "Send a date that the message allows. In a sandbox, compare it with the bank's clock.",
    "P-089 P-131",
  ),
  U004: advise("Add the member.", "P-060 P-061"),
  U005: advise("Leave the member out.", "P-063 P-064"),
  U006: advise("Correct the header.", "P-005 P-009 P-013 P-043", errors),
  U007: advise("Send x-idempotency-key: a new value for each new request.", "P-042", idempotency),
  U008: advise(
    "Send the Initiation and the Risk exactly as in the consent, with members in any order.",
    "P-152 P-153 P-154 P-157",
  ),
  U009: advise(
    "Read the consent. Use it when it is authorised, or create a new one.",
    "P-149 P-150 P-151 P-185",
  ),
  U010: advise(
    "Correct the body: JSON must be one object in UTF-8, whose members have different names.",
    "P-058 P-059",
  ),
  U011: advise(
    "Check the id and the version in the path. A resource of another TPP is never shown.",
    "P-101 P-102 P-160 P-161 P-162",
  ),
  U012: advise("Create a new consent before the next cut-off.", "P-108"),
  U013: advise("Send a Reference that you have not used before."),
  U014: advise("Send a payment within the ControlParameters of the consent."),
  U015: advise(
    "Sign the exact bytes that you send, with the key that kid names, and change nothing afterwards.",
    "P-040 P-041",
    signing,
    "RFC 7515 section 5.1, appendix F",
  ),
  U016: advise("Correct the claim and sign again.", "P-035 P-036 P-037 P-038 P-039", signing),
  U017: advise("Add the claim to the JOSE header and sign again.", "P-039", signing),
  U018: advise(
    "Send header..signature: base64url without padding, and nothing between the two dots.",
    "P-032 P-033",
    signing,
    "RFC 7515 appendix F",
  ),
  U019: advise("Sign the body and send the signature in x-jws-signature.", "P-031", signing),
  U020: advise("Leave x-jws-signature out: nothing is signed here."),
  U021: advise(
    "Send the account number in the form of its SchemeName, which the message describes.",
    "P-082 P-083",
  ),
  U022: advise(
    "Leave SecondaryIdentification out, unless the message asks for the account's roll number.",
    "P-084",
  ),
  U023: advise("Send a currency that the message names.", "P-079 P-117"),
  U024: advise("Send a type of event that the bank offers."),
  U025: advise("Send a frequency that the bank offers.", "P-136"),
  U026: advise("Leave LocalInstrument out, or send one that the bank offers.", "P-080"),
  U027: advise("Send a SchemeName that the bank offers.", "P-081"),
  U028: advise("Send the customer through the authorisation of the same consent again."),
  U029: advise(
    "Use a new idempotency key. For a second registration, change or delete the first one.",
    "P-050 EV-27",
  ),
  AC01: advise("Correct the account number."),
  AC02: advise("Correct the number of the payer's account, or leave DebtorAccount out."),
  AC03: advise("Correct the number of the payee's account."),
  AC04: advise(otherAccount),
  AC05: advise(otherPayer),
  AC06: advise(otherAccount),
  AC07: advise(otherPayee),
  AC14: advise(otherPayee),
  AG01: advise(otherAccount),
  AG03: advise(otherAccount),
  AG08: advise("Ask the customer for a new consent that allows this."),
  AM01: advise("Send an amount above zero."),
  AM02: advise("Send a smaller amount, in a new consent."),
  AM03: advise("Send a currency that the bank offers.", "P-079 P-117"),
  AM04: advise("Try a smaller amount or another account, or wait until money has come in."),
  AM05: advise("Read the orders that exist: this payment is already among them."),
  AM09: advise("Send the amount of the consent."),
  AM10: advise("Send the sum of all amounts as ControlSum."),
  AM12: advise("Send decimal text such as 10.00, without a sign."),
  AM13: advise("Send a smaller amount, or choose a LocalInstrument with a higher limit."),
  AM14: advise("Send a smaller amount, or wait until the limit's next period."),
  AM18: advise("Send the number of payments in the file as NumberOfTransactions."),
  BE19: advise("Send another ChargeBearer, or leave it out."),
  CH03: advise("Send an earlier date."),
  CH04: advise("Send a later date. In a sandbox, compare it with the bank's clock."),
  CH20: advise("Send as few decimal places as the currency has."),
  DT01: advise("Send a date that exists, with a time zone."),
  FF01: advise("Correct the file: it must follow the format that FileType names."),
  NARR: advise("Read the message: the reason stands there."),
  RC04: advise("Correct the number of the payee's bank."),
  PermissionMissing: advise("Ask the customer for a consent with this permission."),
  AccountNotAccessible: advise("Use an AccountId that GET /accounts lists for this consent."),
  TKXP: advise("Ask the token endpoint for a new token with the refresh token.", "P-003", bearer),
  TKSP: advise("Ask the customer to authorise again."),
};

/** The advice on an answer that has neither a code nor a reason, by its status. */
const statusAdvice: Readonly<Record<string, Advice>> = {
  401: adviseOn(
    "Authorization",
    "`Authorization: Bearer TOKEN`",
    "Send `Authorization: Bearer TOKEN`, with a token of the token endpoint.",
    "P-001 A-040",
    bearer,
  ),
};

const unserved: Readonly<Record<string, Advice>> = {
  404: advise(
    "Check the path: `./aldgate routes` lists every operation that this bank serves.",
    "",
    "RFC 9110 section 15.5.5",
  ),
  405: advise("Use a method that the header Allow names.", "", "RFC 9110 section 15.5.6"),
};

/** The advice on a request that no operation serves, by the status; null for other statuses. */
export const adviceOnUnserved = (status: number): Advice | null => unserved[status] ?? null;

/** The advice on a code, a reason, a rule of a registration or a status; null if there is none. */
export function adviceOn(code: string): Advice | null {
  for (const table of [codeAdvice, reasonAdvice, registrationAdvice, statusAdvice]) {
    if (Object.hasOwn(table, code))
      return (table as Readonly<Record<string, Advice>>)[code] ?? null;
  }
  return null;
}
