import type { ApiVersionId } from "#src/standard/api-version.ts";
import { errorNames } from "#src/standard/shared/v3/error-codes.ts";

type ConsentStatus = "AWAU" | "AUTH" | "RJCT" | "CANC" | "EXPD";

/** A version of variable recurring payments, and what tests expect of it. */
export type TestedVrp = {
  id: ApiVersionId;
  basePath: string;
  /** Returns the v4.0 code for the version's name of an error. */
  codeOf(name: string): string;
  /** The words for the statuses of a consent. */
  consentWords: Readonly<Record<ConsentStatus, string>>;
  /** The words for the statuses of an order, and for those of its payment in payment-details. */
  orderWords: Readonly<Record<string, string>>;
  detailWords: Readonly<Record<string, string>>;
  /** Whether consents and orders have StatusReason as a list. */
  hasReasons: boolean;
  /** Whether a 401 has a body that gives the reason. */
  explains401: boolean;
  /** The status that refuses a key that was used with another body. */
  keyConflict: number;
  /** The folder of the public page to which that refusal links. */
  guides: string;
  /** The remittance information with this free text, and the path of the text in it. */
  remittance(text: string): object;
  textPath: string;
  /** The remittance information with this reference, and the path of the reference in it. */
  reference(reference: string): object;
  referencePath: string;
  /** The ways to give remittance information without a text. */
  withoutText: readonly object[];
  /** The members of a refund account. */
  refund(account: object): object;
  /** The member of the risk that says whether the payee has a contract. */
  contractPresent: string;
  /** The longest name of a payee. */
  creditorName: number;
  /** The published payment contexts that a new consent may not have. */
  refusedContexts: readonly string[];
};

const codes = new Map<string, string>(
  Object.entries(errorNames).map(([code, name]) => [name, code]),
);

const orderWords = {
  RCVD: "Pending",
  PDNG: "Pending",
  ACTC: "Pending",
  ACCP: "Pending",
  ACFC: "Pending",
  ACSP: "AcceptedSettlementInProcess",
  ACWC: "AcceptedSettlementInProcess",
  ACSC: "AcceptedSettlementCompleted",
  ACWP: "AcceptedWithoutPosting",
  ACCC: "AcceptedCreditSettlementCompleted",
  BLCK: "AcceptedWithoutPosting",
  RJCT: "Rejected",
};
const sameWords = Object.fromEntries(Object.keys(orderWords).map((status) => [status, status]));

/** The payment contexts that v4.0 has deprecated. */
export const deprecatedContexts = [
  "BillPayment",
  "EcommerceGoods",
  "EcommerceServices",
  "PartyToParty",
  "PispPayee",
  "Other",
];

/** Every version that is served. The same tests run for each. */
export const vrpVersions: readonly TestedVrp[] = [
  {
    id: "pisp-v3.1",
    basePath: "/api/open-banking/v3.1/pisp",
    codeOf: (name) => codes.get(name) ?? name,
    consentWords: {
      AWAU: "AwaitingAuthorisation",
      AUTH: "Authorised",
      RJCT: "Rejected",
      CANC: "Authorised",
      EXPD: "Authorised",
    },
    orderWords,
    detailWords: {
      ...orderWords,
      RCVD: "Received",
      ACTC: "AcceptedTechnicalValidation",
      ACCP: "AcceptedCustomerProfile",
      ACFC: "AcceptedFundsChecked",
      ACWC: "AcceptedWithChange",
    },
    hasReasons: false,
    explains401: false,
    keyConflict: 409,
    guides: "v3.1.11",
    remittance: (Unstructured) => ({ Unstructured }),
    textPath: "Unstructured",
    reference: (Reference) => ({ Reference }),
    referencePath: "Reference",
    withoutText: [{}],
    refund: (account) => account,
    contractPresent: "ContractPresentInidicator",
    creditorName: 350,
    refusedContexts: [],
  },
  {
    id: "pisp-v4.0",
    basePath: "/api/open-banking/v4.0/pisp",
    codeOf: (name) => name,
    consentWords: { AWAU: "AWAU", AUTH: "AUTH", RJCT: "RJCT", CANC: "CANC", EXPD: "EXPD" },
    orderWords: sameWords,
    detailWords: sameWords,
    hasReasons: true,
    explains401: true,
    keyConflict: 400,
    guides: "v4.0",
    remittance: (text) => ({ Unstructured: [text] }),
    textPath: "Unstructured[0]",
    reference: (Reference) => ({
      Structured: [{ CreditorReferenceInformation: { Reference } }],
    }),
    referencePath: "Structured[0].CreditorReferenceInformation.Reference",
    withoutText: [{}, { Unstructured: [] }],
    refund: (Account) => ({ Account }),
    contractPresent: "ContractPresentIndicator",
    creditorName: 70,
    refusedContexts: deprecatedContexts,
  },
];
