import type { RefusalReason } from "#src/http/refusal/refusals.ts";
import type { FaultCode } from "#src/standard/faults.ts";

/** What stands behind a refusal: ids of docs/conformance.md, publications, and what to do. */
type Advice = {
  rules: readonly string[];
  /** Parts of the publications. */
  sections: readonly string[];
  next: string;
};

const advise = (next: string, rules = "", ...sections: string[]): Advice => ({
  rules: rules === "" ? [] : rules.split(" "),
  sections,
  next,
});

const signing = "Read/Write profile, Message Signing";
const errors = "Read/Write profile, Errors";
const idempotency = "Read/Write profile, Idempotency";
const bearer = "RFC 6750 section 3.1";

const otherPayee = "Ask the customer for another account of the payee, with a new consent.";
const otherAccount = "Use another account, with a new consent: the reason says which one is meant.";
const otherPayer = "Ask the customer to choose another account, with a new consent.";

/** The advice on each error code. */
export const codeAdvice: Readonly<Record<FaultCode, Advice>> = {
  U000: advise("Send the same request again later, with the same idempotency key.", "P-024"),
  U001: advise("Add the member, or leave out the one that demands it.", "P-119 P-120 P-142"),
  U002: advise(
    "Correct the value, and send the request with a new idempotency key.",
    "P-066 P-068 P-069",
  ),
  U003: advise("Send a later date. In a sandbox, compare it with the bank's clock.", "P-089 P-131"),
  U004: advise("Add the member.", "P-060 P-061"),
  U005: advise("Leave the member out: this operation does not have it.", "P-063 P-064"),
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
  U010: advise("Send one JSON object in UTF-8, whose members have different names.", "P-058 P-059"),
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
  U021: advise("Send 14 digits (sort code, then account number), or a valid IBAN.", "P-082 P-083"),
  U022: advise("Leave SecondaryIdentification out for this scheme.", "P-084"),
  U023: advise("Send a currency that the bank offers.", "P-079 P-117"),
  U024: advise("Send a type of event that the bank offers."),
  U025: advise("Send a frequency that the bank offers.", "P-136"),
  U026: advise("Leave LocalInstrument out, or send one that the bank offers.", "P-080"),
  U027: advise("Send a SchemeName that the bank offers.", "P-081"),
  U028: advise("Send the customer through the authorisation of the same consent again."),
  U029: advise("Read the resource that exists, or delete it first.", "P-050"),
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

const assertion = "RFC 7523 section 3";
const requestObject = "FAPI 1.0 Advanced";
const mutualTls = "RFC 8705 section 3";
const clientMetadata = "Read the registration, or register again.";
const signAgain = "Correct the claim, sign again, and use a new jti.";

/** The advice on each reason of the authorization server, of tokens and of certificates. */
export const reasonAdvice: Readonly<Partial<Record<RefusalReason, Advice>>> = {
  certificateMissing: advise(
    "Call the mutual TLS address with the transport certificate and its key.",
    "P-004 A-048",
    mutualTls,
  ),
  certificateUntrusted: advise("Send the whole chain, of a certificate that the bank trusts."),
  certificateUsage: advise("Use the transport certificate, not the signing certificate."),
  certificateRevoked: advise("Use another certificate of the software."),
  certificateSubject: advise("Use the certificate of this software, or register again."),
  certificateNotRegistered: advise(clientMetadata, "", mutualTls),
  clientUnknown: advise("Check client_id. `./aldgate clients list` shows the clients."),
  clientMethod: advise(clientMetadata, "S-011"),
  clientNotNamed: advise("Send client_assertion, or client_id over mutual TLS.", "S-011"),
  jwtMalformed: advise("Send a compact JWS: three parts, base64url without padding."),
  jwtAlgorithm: advise("Sign with PS256."),
  jwtKey: advise("Send the kid of a key of your JWKS.", "P-036"),
  jwtSignature: advise("Sign with the private key that belongs to this kid."),
  jwtIncomplete: advise(signAgain, "", assertion),
  jwtClaim: advise(signAgain, "", assertion),
  jwtIssuer: advise("Send client_id as iss.", "", assertion),
  jwtSubject: advise("Send client_id as sub.", "", assertion),
  jwtAudience: advise("Send the issuer of the discovery document as aud.", "S-013", assertion),
  jwtAudienceOne: advise("Send the issuer as one string as aud.", "S-030"),
  jwtAudienceList: advise("Send the issuer as one string as aud.", "S-030"),
  jwtExpired: advise("Make a new JWT for each request, with exp in seconds.", "S-013"),
  jwtNotYet: advise("Set nbf to now, in seconds, and check the machine's clock.", "S-013"),
  jwtIssuedLater: advise("Set iat to now, in seconds, and check the machine's clock."),
  jwtTooLong: advise("Set exp to at most an hour after now.", "S-013", requestObject),
  jwtSpan: advise("Set nbf to now, and exp to at most an hour later.", "S-013", requestObject),
  jwtReplayed: advise("Make a new JWT with a new jti for each request.", "", assertion),
  requestNotPushed: advise("Push the request to /request first.", "S-010"),
  requestUnsigned: advise(
    "Send the parameters in a signed request object.",
    "S-012",
    requestObject,
  ),
  backchannelUnsigned: advise("Send the parameters in a signed request object.", "CB-41"),
  challengeMissing: advise("Send code_challenge with the method S256.", "S-014"),
  responseNotAllowed: advise("Use a response_type and response_mode of your profile.", "S-018"),
  codeUnknown: advise("Start a new authorization: a code works once.", "S-031"),
  codeExpired: advise("Exchange a code within 60 seconds.", "S-031"),
  codeReplayed: advise("Ask the customer to authorise again.", "S-031"),
  codeRedirect: advise("Send the redirect_uri of the authorization request.", "S-031"),
  codeVerifierMissing: advise("Send the code_verifier of this authorization.", "S-014"),
  codeVerifierWrong: advise("Send the code_verifier of this authorization.", "S-014"),
  challengeMethod: advise("Send S256.", "S-014"),
  maxAge: advise("Send a number of seconds, or leave max_age out."),
  grantUnknown: advise("Send a grant_type that the client is registered for."),
  requestUriUnknown: advise("Push the request again: a request_uri works once.", "S-010"),
  refreshScope: advise("Leave scope out."),
  requestObjectLacks: advise("Put the parameter into the Request Object, and sign it again."),
  scopeOpenid: advise("Send openid and the scope of one API."),
  refreshUnknown: advise("Ask the customer to authorise again.", "S-033"),
  grantEnded: advise("Read the consent, then ask the customer to authorise again."),
  consentUnnamed: advise("Put the ConsentId into openbanking_intent_id of id_token.", "P-107"),
  consentUnknown: advise("Name a consent that this client has created.", "P-107"),
  consentScope: advise("Ask for the scope of the consent's API, with openid."),
  consentStatus: advise("Create a new consent.", "P-106"),
  consentUnanswered: advise("Create a new consent and send the customer at once.", "P-118"),
  consentExpired: advise("Create a new consent with a later ExpirationDateTime."),
  redirectUnregistered: advise(clientMetadata, "S-015"),
  scopeUnknown: advise("Ask for scopes of the discovery document."),
  scopeNotAllowed: advise("Ask for the scopes of the software's roles."),
  tokenMalformed: advise("Send `Authorization: Bearer` and the token.", "A-041", bearer),
  tokenUnknown: advise("Ask the token endpoint for a new token.", "P-002 A-042", bearer),
  tokenClient: advise("Ask the bank why the client is not served."),
  tokenCertificate: advise(
    "Use the certificate with which the token was requested, or get a new token with this one.",
    "P-004 A-048",
    mutualTls,
  ),
  tokenUnbound: advise("Call from the sandbox's machine, or use a client with bound tokens."),
  tokenExpired: advise("Ask the token endpoint for a new token; it lives 600 s.", "P-003 A-043"),
  tokenConsent: advise("Explain the consent, then ask the customer for a new one.", "P-106"),
  tokenGrant: advise(
    "Use client credentials for consents and their state, the customer's token for the rest.",
    "P-006 P-007 P-009 A-045 A-047",
  ),
  tokenScope: advise("Ask for a token with the scope of this API.", "P-005 A-044"),
};

/** The advice on a code or a reason; null if there is none. */
export function adviceOn(code: string): Advice | null {
  if (Object.hasOwn(codeAdvice, code)) return codeAdvice[code as FaultCode];
  if (Object.hasOwn(reasonAdvice, code)) return reasonAdvice[code as RefusalReason] ?? null;
  // a refusal of a registration names its rule
  if (!/^R-\d{3}$/.test(code)) return null;
  return advise("`./aldgate tpp lint` lists everything else that the request breaks.", code);
}
