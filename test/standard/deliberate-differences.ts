import type { ApiVersionId } from "#src/standard/api-version.ts";

/** A deliberate difference from the published file. */
export type DeliberateDifference = {
  /** The APIs whose documents have the difference. */
  apis: readonly ApiVersionId[];
  /** Matches the `at` of each difference that it explains. */
  at: RegExp;
  reason: string;
};

const accounts = ["aisp-v3.1", "aisp-v4.0"] as const;
const events = ["events-v3.1", "events-v4.0"] as const;
const funds = ["cbpii-v3.1", "cbpii-v4.0"] as const;
const payments = ["pisp-v3.1", "pisp-v4.0"] as const;
const every = [...payments, ...accounts, ...funds, ...events] as const;

/** All deliberate differences between our OpenAPI documents and the published ones. */
export const deliberateDifferences: readonly DeliberateDifference[] = [
  {
    apis: events,
    at: /^\w+CallbackUrls\w*$/,
    reason: "Callback URLs are in the profile, and missing from the file. EV-02",
  },
  {
    apis: events,
    at: /^\w+ \d{3} header x-fapi-interaction-id required$/,
    reason: "Every response has the header.",
  },
  {
    apis: events,
    at: /^\w+EventSubscriptions\w* 20[01] header x-jws-signature required$/,
    reason: "Every response about a subscription is signed. EV-25",
  },
  {
    apis: events,
    at: /^\w+EventSubscriptions\w* (400|403|409|500) header x-jws-signature$/,
    reason: "Refusals with a body are signed too, as in Payment Initiation. EV-25",
  },
  {
    apis: events,
    at: /^\w+ 20[014] header ratelimit(-policy)?$/,
    reason: "The headers tell TPPs their limits here too. D-401-06",
  },
  {
    apis: events,
    at: /^CreateEventSubscriptions 409 body$/,
    reason: "The TPP learns that it has a subscription already. EV-27",
  },
  {
    apis: events,
    at: /^CreateEvents status 201$/,
    reason: "A poll creates nothing: its success is 200. EV-16",
  },
  {
    apis: every,
    at: /^\w+ parameter header authorization$/,
    reason: "The security scheme says how the token is sent, as OpenAPI wants it.",
  },
  {
    apis: payments,
    at: /^\w+(FilePaymentConsentsConsentIdFile|FilePaymentIdReportFile) \w+ body closed$/,
    reason: "A file has contents: a closed schema without members would forbid all of them.",
  },
  {
    apis: ["pisp-v4.0", "aisp-v4.0", "cbpii-v4.0"],
    at: /^\w+ parameter header x-client-id$/,
    reason:
      "The token names the client: the header is ignored, so nobody is asked for it. D-401-07",
  },
  {
    apis: ["pisp-v4.0"],
    at: /^\w+ (request|20[01]) body Data\.Authorisation\.AuthorisationType enum$/,
    reason: "Multiple is taken for every kind, and echoed. D-401-25",
  },
  {
    apis: payments,
    at: /^CreateFilePaymentConsentsConsentIdFile status 413$/,
    reason:
      "A file may be too large, and its sender gets a 413 before all of it has arrived. P-206",
  },
  {
    apis: payments,
    at: /^domesticVrp(ConsentsFundsConfirmation|Post) security$/,
    reason:
      "The text of the standard asks for the customer's token, and so does the bank. V-091, V-152",
  },
  {
    apis: ["pisp-v4.0"],
    at: /^domesticVrp\w+ 20[01] (body (Links|Meta)\b|header payload-version$)/,
    reason: "Responses have no further links or facts, and are always in the words of 4.0.1. V-184",
  },
  {
    apis: ["pisp-v4.0"],
    at: /^domesticVrp\w+ .+\.(Invoicer|Invoicee) minLength$/,
    reason: "An empty name is not a name, here as for the other payments.",
  },
  {
    apis: ["pisp-v4.0"],
    at: /^domesticVrp\w+ .+RegulatoryReporting\[\]\.Details\[\]\.Amount\b/,
    reason: "An amount has the form that it has in the other payments.",
  },
  {
    apis: ["cbpii-v4.0"],
    at: /^Create\w+ (parameter header|\d{3} header) x-jws-signature$/,
    reason: "An update of the published file makes signatures optional. C-017, C-018",
  },
  {
    apis: every,
    at: /^\w+ status 503$/,
    reason: "An outage of a part of the bank is distinguished from a failure, with Retry-After.",
  },
  {
    apis: ["pisp-v3.1"],
    at: /^\w+ScheduledPaymentConsents\w* 20[01] body Data\.Initiation\.Creditor\.Name maxLength$/,
    reason: "A response repeats the name of the request, which has at most 140 characters.",
  },
  {
    apis: ["pisp-v3.1"],
    at: /^\w+ (400|403|500) body Errors\[\]\.ErrorCode x-namespaced-enum$/,
    reason: "One list of error names for both published files, of which one lists two more.",
  },
  {
    apis: ["pisp-v3.1"],
    at: /^domesticVrpConsentsDelete 204 header x-fapi-interaction-id$/,
    reason: "Every response has the header. V-073",
  },
  {
    apis: ["pisp-v3.1"],
    at: /^domesticVrpPaymentDetailsGet 200 body (required|Links|Meta)$/,
    reason: "Every response has its data and its links.",
  },
  {
    apis: ["pisp-v3.1", "aisp-v3.1", "cbpii-v3.1"],
    at: /^\w+ 20[014] header ratelimit(-policy)?$/,
    reason: "The headers that v4.0.1 introduced tell TPPs their limits here too. D-401-06",
  },
  {
    apis: [...accounts, ...funds],
    at: /^\w+ 429 header x-fapi-interaction-id required$/,
    reason: "Every response has the header, this one too. A-001, A-002",
  },
  {
    apis: accounts,
    at: /^Get(AccountsAccountId)?Transactions parameter query (from|to)BookingDateTime format$/,
    reason:
      "A date alone, or a time without a zone, is accepted although it is not RFC 3339. A-180",
  },
  {
    apis: accounts,
    at: /^Get(AccountsAccountId)?Statements parameter query (from|to)StatementDateTime format$/,
    reason:
      "A date alone, or a time without a zone, is accepted although it is not RFC 3339. A-217",
  },
  {
    apis: accounts,
    at: /^GetAccountsAccountIdStatementsStatementIdFile 200 body$/,
    reason: "A statement's file is a PDF or CSV, not JSON. A-218",
  },
  {
    apis: accounts,
    at: /^Get\w+ parameter query pg$/,
    reason: "How pages are asked for is the bank's own choice. A-197",
  },
];
