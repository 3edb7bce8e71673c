import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant, parseDateTime } from "#src/lib/date-time.ts";
import { parseAmount } from "#src/lib/money.ts";
import type { OrderWithConsent } from "#src/payments/order/load-order.ts";
import { hasMember, textAt, valueAt } from "#src/payments/request/json-path.ts";
import type {
  MemberPaths,
  PaymentRequest,
  RequestedAmount,
  RequestedLimits,
} from "#src/payments/request/payment-request.ts";
import { readRequest } from "#src/payments/request/read-request.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { vrpBodies } from "#src/standard/shared/vrp-bodies.ts";
import type { Format, FundsAnswer, ShownStatus } from "./format.ts";
import { accountAt, amountAt } from "./member-paths.ts";
import { renderAccount, renderCharges } from "./render-parts.ts";

// Reads and renders variable recurring payments in any version. The consent has the limits and the
// facts that all its payments share (`Initiation`). Each order repeats the shared facts and adds
// its own payment (`Instruction`).

/** The differences between the versions of variable recurring payments. */
type VrpVersion = {
  version: ApiVersion;
  /** The published schemas of its bodies. */
  bodies: ReturnType<typeof vrpBodies>;
  /** Returns the reference that the payee sees, given an initiation or an instruction. */
  referenceIn(part: unknown): string | null;
  /** Renders the id, the times and the status of a consent. */
  consentStanding(consent: Consent): object;
  /** Renders the ids, the times and the status of an order. */
  orderStanding(order: OrderWithConsent, shown: ShownStatus): object;
  /** Renders the refund, given its account. */
  refund(account: object): object;
} & Pick<
  Format,
  "judgedBy" | "payloadVersions" | "statuses" | "earlier" | "keyConflict" | "renderDetail"
>;

const control = "Data.ControlParameters";

const inBoth: MemberPaths = {
  order: "Data.Initiation",
  consentId: "Data.ConsentId",
  ...accountAt("debtor", "Data.Initiation.DebtorAccount"),
  "limits.validFrom": `${control}.ValidFromDateTime`,
  "limits.validTo": `${control}.ValidToDateTime`,
  "limits.single": `${control}.MaximumIndividualAmount`,
  "limits.single.text": `${control}.MaximumIndividualAmount.Amount`,
  "limits.single.currency": `${control}.MaximumIndividualAmount.Currency`,
  "limits.periods": `${control}.PeriodicLimits[]`,
  "limits.periods.type": `${control}.PeriodicLimits[].PeriodType`,
  "limits.periods.alignment": `${control}.PeriodicLimits[].PeriodAlignment`,
  "limits.periods.text": `${control}.PeriodicLimits[].Amount`,
  "limits.periods.currency": `${control}.PeriodicLimits[].Currency`,
  "limits.uses.type": `${control}.VRPType[]`,
  "limits.uses.authentication": `${control}.PSUAuthenticationMethods[]`,
  "limits.uses.interaction": `${control}.PSUInteractionTypes`,
};

const riskPaths = {
  "limits.risk.context": "Risk.PaymentContextCode",
  "limits.risk.accountType": "Risk.BeneficiaryAccountType",
} as const satisfies MemberPaths;

/** The paths of a consent's members. */
const consentPaths: MemberPaths = {
  ...inBoth,
  ...riskPaths,
  ...accountAt("creditor", "Data.Initiation.CreditorAccount"),
  readsRefundAccount: "Data.ReadRefundAccount",
};

const instruction = "Data.Instruction";

/**
 * The paths of an order's members. An order always names its payee, even if the consent does.
 * Source: V-103.
 */
const orderPaths: MemberPaths = {
  ...inBoth,
  ...accountAt("creditor", `${instruction}.CreditorAccount`),
  instructionId: `${instruction}.InstructionIdentification`,
  endToEndId: `${instruction}.EndToEndIdentification`,
  localInstrument: `${instruction}.LocalInstrument`,
  ...amountAt("amount", `${instruction}.InstructedAmount`),
  "use.type": "Data.VRPType",
  "use.authentication": "Data.PSUAuthenticationMethod",
  "use.interaction": "Data.PSUInteractionType",
};

/** The paths of the members of a request for a funds confirmation. */
const fundsPaths = {
  consentId: "Data.ConsentId",
  reference: "Data.Reference",
  ...amountAt("amount", "Data.InstructedAmount"),
} as const satisfies MemberPaths;

/**
 * The members of a consent that an order repeats in its instruction. A consent that fixes the
 * reference leaves the unstructured text free, unless it has that too. Source: V-101, V-104.
 */
const repeatedElsewhere = ["CreditorAccount", "RemittanceInformation"].map((member) => ({
  consented: `Data.Initiation.${member}`,
  ordered: `${instruction}.${member}`,
  isOpen: member === "RemittanceInformation",
}));

/** Reads a consent or an order. Never throws, even if the schema has refused the body. */
function readVrp(body: unknown, { referenceIn }: Pick<VrpVersion, "referenceIn">): PaymentRequest {
  const isOrder = hasMember(body, instruction);
  const request = readRequest(body, isOrder ? orderPaths : consentPaths, null);
  const part = valueAt(body, isOrder ? instruction : "Data.Initiation");
  const secondary = request.creditor?.secondaryIdentification ?? null;
  return { ...request, reference: secondary ?? referenceIn(part), limits: limitsIn(body) };
}

function limitsIn(body: unknown): RequestedLimits | null {
  if (!hasMember(body, control)) return null;
  const periods = valueAt(body, `${control}.PeriodicLimits`);
  const single = valueAt(body, `${control}.MaximumIndividualAmount`);
  return {
    validFrom: dateAt(body, "ValidFromDateTime"),
    validTo: dateAt(body, "ValidToDateTime"),
    single: single === undefined ? null : amountOf(single),
    periods: (Array.isArray(periods) ? periods : []).map((period: unknown) => ({
      type: textAt(period, "PeriodType") ?? null,
      alignment: textAt(period, "PeriodAlignment") ?? null,
      amount: amountOf(period),
    })),
    uses: {
      type: textsAt(body, "VRPType"),
      authentication: textsAt(body, "PSUAuthenticationMethods"),
      interaction: textsAt(body, "PSUInteractionTypes"),
    },
    risk: {
      context: textAt(body, riskPaths["limits.risk.context"]) ?? null,
      accountType: textAt(body, riskPaths["limits.risk.accountType"]) ?? null,
    },
  };
}

function textsAt(body: unknown, member: string): string[] | null {
  const list = valueAt(body, `${control}.${member}`);
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : null;
}

function dateAt(body: unknown, member: string) {
  const text = textAt(body, `${control}.${member}`);
  return text === undefined ? null : parseDateTime(text);
}

function amountOf(given: unknown): RequestedAmount {
  const text = textAt(given, "Amount") ?? null;
  const currency = textAt(given, "Currency") ?? null;
  if (text === null || currency === null) return { text, currency, money: null };
  const amountMinor = parseAmount(text, currency);
  return { text, currency, money: amountMinor === null ? null : { amountMinor, currency } };
}

/**
 * Makes the function that renders a consent: the request as it was sent, and the account to be
 * debited, whether the TPP named it or the customer chose it. Source: V-001, V-053, V-070.
 */
const consentRenderer =
  ({ consentStanding }: VrpVersion): Format["renderConsent"] =>
  (consent, { debtor }, self) => ({
    Data: {
      ...consentStanding(consent),
      ...consent.body.Data,
      ...(debtor ? { DebtorAccount: renderAccount(debtor) } : {}),
    },
    Risk: consent.body.Risk ?? {},
    Links: { Self: self },
    Meta: {},
  });

/**
 * Makes the function that renders an order. Its response also repeats the risk. Source: V-129,
 * V-130.
 */
const orderRenderer =
  ({ orderStanding, refund }: VrpVersion): Format["renderOrder"] =>
  (order, shown, self) => ({
    Data: {
      ...orderStanding(order, shown),
      ...(order.terms.refund ? { Refund: refund(renderAccount(order.terms.refund)) } : {}),
      Charges: renderCharges(order.consentTerms.charges),
      Initiation: order.consentBody.Data.Initiation,
      ...shown.own?.Data,
      DebtorAccount: renderAccount(order.terms.debtor),
    },
    Risk: order.consentBody.Risk ?? {},
    Links: { Self: self },
    Meta: {},
  });

/** Renders the answer to a request for a funds confirmation. Source: V-150, V-155, V-158. */
function renderFunds({ available, now, asked }: FundsAnswer): object {
  const { id, body } = present(asked, "the request of the TPP");
  return {
    Data: {
      FundsConfirmationId: id,
      CreationDateTime: formatInstant(now),
      // the body has passed the schema
      ...(body as { Data: object }).Data,
      FundsAvailableResult: {
        FundsAvailableDateTime: formatInstant(now),
        FundsAvailable: available ? "Available" : "NotAvailable",
      },
    },
  };
}

/**
 * Returns the parts of an order that its consent does not have. They include the initiation if it
 * names the debtor account, which the customer may have chosen. Source: V-107, V-129.
 */
function ownParts(body: unknown): ConsentBody {
  // the body has passed the schema
  const { Initiation, Instruction } = (body as ConsentBody).Data;
  const isNamed = hasMember(body, "Data.Initiation.DebtorAccount");
  return { Data: { ...(isNamed ? { Initiation } : {}), Instruction } };
}

/** Makes the format of variable recurring payments, which have a separate OpenAPI file. */
export function vrpFormat(given: VrpVersion): Format {
  const { version, referenceIn, bodies, ...own } = given;
  const { fundsRequest, ...schemas } = bodies;
  const { judgedBy, payloadVersions, statuses, earlier, keyConflict, renderDetail } = own;
  return {
    version,
    operationIds: {
      lodge: "domesticVrpConsentsPost",
      read: "domesticVrpConsentsGet",
      delete: "domesticVrpConsentsDelete",
      confirmFunds: "domesticVrpConsentsFundsConfirmation",
      submit: "domesticVrpPost",
      readOrder: "domesticVrpGet",
      readDetails: "domesticVrpPaymentDetailsGet",
    },
    schemas: {
      ...schemas,
      fundsRequest: {
        schema: fundsRequest,
        paths: fundsPaths,
        read: (body) => readRequest(body, fundsPaths, textAt(body, fundsPaths.reference) ?? null),
        referenceIn: (consent) => referenceIn(valueAt(consent, "Data.Initiation")),
      },
    },
    ...(payloadVersions ? { payloadVersions } : {}),
    ...(keyConflict ? { keyConflict } : {}),
    ...(earlier ? { earlier } : {}),
    judgedBy,
    statuses,
    paths: consentPaths,
    orderPaths,
    repeated: ["Data.Initiation", "Risk"],
    repeatedElsewhere,
    chosenDebtor: "Data.Initiation.DebtorAccount",
    ownParts,
    read: (body) => readVrp(body, given),
    renderConsent: consentRenderer(given),
    renderOrder: orderRenderer(given),
    renderDetail,
    renderFunds,
  };
}
