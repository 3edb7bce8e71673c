import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import type { OrderWithConsent } from "#src/payments/order/payment-order.ts";
import type { MemberPaths, PaymentRequest } from "#src/payments/request/payment-request.ts";
import { firstTextAt, hasMember, readRequest } from "#src/payments/request/read-request.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { standardExamples } from "#src/standard/descriptions/examples.ts";
import type { vrpBodies } from "#src/standard/shared/vrp-bodies.ts";
import {
  type Format,
  type FundsAnswer,
  type InstructionFormat,
  renderAccount,
  renderCharges,
  type ShownStatus,
} from "./format.ts";
import { accountAt, amountAt, below, initiation } from "./member-paths.ts";

// Reads and renders variable recurring payments in any version. The consent has the limits and the
// facts that all its payments share (`Initiation`). Each order repeats the shared facts and adds
// its own payment (`Instruction`).

/** The differences between the versions of variable recurring payments. */
type VrpVersion = {
  version: ApiVersion;
  /** The published schemas of its bodies. */
  bodies: ReturnType<typeof vrpBodies>;
  /** Where an initiation or an instruction has the reference that the payee sees. */
  references: readonly string[];
  /** Renders the id, the times and the status of a consent. */
  consentStanding(consent: Consent): object;
  /** Renders the ids, the times and the status of an order. */
  orderStanding(order: OrderWithConsent, shown: ShownStatus): object;
  /** Renders the refund, given its account. */
  refund(account: object): object;
} & Pick<Format, "judgedBy" | "statuses" | "earlier" | "keyConflict" | "renderDetail"> &
  Pick<InstructionFormat, "payloadVersions">;

const control = "Data.ControlParameters";
const instruction = "Data.Instruction";
const chosenDebtor = `${initiation}.DebtorAccount`;

const inBoth: MemberPaths = {
  order: initiation,
  consentId: "Data.ConsentId",
  ...accountAt("debtor", chosenDebtor),
  limits: control,
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

/** The paths of a consent's members. */
const consentPaths: MemberPaths = {
  ...inBoth,
  "limits.risk.context": "Risk.PaymentContextCode",
  "limits.risk.accountType": "Risk.BeneficiaryAccountType",
  ...accountAt("creditor", `${initiation}.CreditorAccount`),
  readsRefundAccount: "Data.ReadRefundAccount",
};

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
} satisfies MemberPaths;

/**
 * The members of a consent that an order repeats in its instruction. A consent that fixes the
 * reference leaves the unstructured text free, unless it has that too. Source: V-101, V-104.
 */
const repeatedMembers = ["CreditorAccount", "RemittanceInformation"];
const repeated = repeatedMembers.map((member) => ({
  consented: `${initiation}.${member}`,
  ordered: `${instruction}.${member}`,
  isOpen: member === "RemittanceInformation",
}));

/** Makes the function that reads a consent or an order. */
const readerOf =
  (references: Record<"consent" | "order", readonly string[]>): Format["read"] =>
  (body) => {
    const isOrder = hasMember(body, instruction);
    const request = readRequest(body, isOrder ? orderPaths : consentPaths);
    const secondary = request.creditor?.secondaryIdentification ?? null;
    const found = firstTextAt(body, isOrder ? references.order : references.consent);
    return { ...request, reference: secondary ?? found };
  };

// what is left of the standard's 500 characters after the words around it
const longestWords = 420;

/**
 * What an order must have in the members whose values its consent limits or fixes. Source:
 * V-101…V-104, V-108…V-110.
 */
const orderWordsOf =
  (read: Format["read"]): NonNullable<InstructionFormat["wordsOf"]> =>
  (consent) => {
    const { limits } = read(consent);
    const { type, authentication } = present(limits, "the limits of a consent").uses;
    const allowed = (values: readonly (string | null)[] | null): string =>
      `a value that the consent allows: ${[...new Set(values)].join(", ")}`;
    return {
      "Order.VRPType": allowed(type),
      "Order.PSUAuthenticationMethod": allowed(authentication),
      Instruction: instructionWords(consent, limits),
    };
  };

function instructionWords({ Data }: ConsentBody, limits: PaymentRequest["limits"]): string {
  const given = Object.entries(Data.Initiation as object);
  const fixed = given.filter(([name]) => repeatedMembers.includes(name));
  const names = fixed.map(([name]) => name).join(" and ");
  const own = "InstructionIdentification, EndToEndIdentification, InstructedAmount";
  const words =
    names === ""
      ? `an object with ${own}, CreditorAccount`
      : `an object with ${own}, and ${names} as in the Initiation of the consent`;
  const { InstructionIdentification, EndToEndIdentification } = standardExamples;
  const { text = null, currency = null } = limits?.single ?? {};
  const amount = Number(text) < 10 ? text : "10.00";
  const example = JSON.stringify({
    InstructionIdentification,
    EndToEndIdentification,
    InstructedAmount: { Amount: amount, Currency: currency },
    ...Object.fromEntries(fixed),
  });
  const whole = `an object with ${names} as in the consent, such as ${example}`;
  const isWhole = fixed.some(([name]) => name === "CreditorAccount");
  return isWhole && whole.length <= longestWords ? whole : words;
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

/** Makes the format of variable recurring payments, which have a separate OpenAPI file. */
export function vrpFormat(given: VrpVersion): Format {
  const { version, bodies, payloadVersions, keyConflict, earlier } = given;
  const { fundsRequest, ...schemas } = bodies;
  const references = {
    consent: below(initiation, given.references),
    order: below(instruction, given.references),
  };
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
    schemas,
    ...(keyConflict ? { keyConflict } : {}),
    ...(earlier ? { earlier } : {}),
    judgedBy: given.judgedBy,
    statuses: given.statuses,
    paths: consentPaths,
    otherPaths: [...references.consent, ...references.order],
    repeated: [initiation, "Risk"],
    instruction: {
      at: instruction,
      paths: orderPaths,
      repeated,
      chosenDebtor,
      wordsOf: orderWordsOf(readerOf(references)),
      ...(payloadVersions ? { payloadVersions } : {}),
      funds: { schema: fundsRequest, paths: fundsPaths, references: references.consent },
    },
    read: readerOf(references),
    renderConsent: consentRenderer(given),
    renderOrder: orderRenderer(given),
    renderDetail: given.renderDetail,
    renderFunds,
  };
}
