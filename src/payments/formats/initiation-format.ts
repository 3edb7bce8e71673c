import type { Consent } from "#src/consents/consent.ts";
import type { ConsentTerms } from "#src/consents/terms.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import type { MultiAuthorisationStatus } from "#src/payments/order/order-states.ts";
import type {
  ExpectedDates,
  OrderWithConsent,
  PaymentOrder,
} from "#src/payments/order/payment-order.ts";
import type {
  MemberPaths,
  PaymentRequest,
  ScheduleRequest,
} from "#src/payments/request/payment-request.ts";
import { firstTextAt, readRequest, valueAt } from "#src/payments/request/read-request.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { hasPath } from "./check-paths.ts";
import {
  type ConsentExtras,
  type Format,
  type FundsAnswer,
  type InitiationFormat,
  type KindSchemas,
  renderAccount,
  renderCharges,
  type SharedSchemas,
  type ShownStatus,
} from "./format.ts";
import { below, initiation } from "./member-paths.ts";

// Reads and renders, in any version, the bodies of the kinds that have an initiation: all but
// variable recurring payments. The order repeats the initiation of its consent.

/** How a version writes the parts of an initiation whose notation differs by version. */
type InitiationNotation = {
  /** Where an initiation has the reference that the payee sees, the preferred place first. */
  references: readonly string[];
  /** Reads how often a standing order pays, and what the TPP says about it. */
  schedule?: {
    read(
      initiation: unknown,
      paid: { reference: string | null; currency: string | null },
    ): Pick<ScheduleRequest, "frequency" | "mandate" | "remittance">;
    /** The paths in the initiation at which it finds something, besides those of members. */
    otherPaths: readonly string[];
  };
};

/** The differences between the versions of these kinds. */
type InitiationVersion = InitiationNotation & {
  version: ApiVersion;
  schemas: SharedSchemas;
  /** Renders the id, the times and the status of a consent. */
  consentStanding(consent: Consent): object;
  /** Renders the ids, the times and the status of an order. */
  orderStanding(order: OrderWithConsent, shown: ShownStatus): object;
  /** The word for a status of the signatures that an order needs, if it is not the code. */
  authorisationWords?: Readonly<Record<MultiAuthorisationStatus, string>>;
} & Pick<Format, "judgedBy" | "words" | "keyConflict" | "renderDetail">;

type KindInVersion = Pick<Format, "paths" | "statuses" | "earlier" | "reportWords"> & {
  schemas: KindSchemas;
} & Partial<Pick<InitiationVersion, "references" | "orderStanding">>;

/** Makes the function that makes the formats of a version, given what differs by kind. */
export const initiationFormats =
  (version: InitiationVersion) =>
  ({
    schemas,
    references = version.references,
    orderStanding = version.orderStanding,
    ...kind
  }: KindInVersion): Format => ({
    ...kind,
    ...initiationReader(kind.paths, { ...version, references }),
    version: version.version,
    schemas: { ...schemas, ...version.schemas },
    judgedBy: version.judgedBy,
    ...(version.words ? { words: version.words } : {}),
    ...(version.keyConflict ? { keyConflict: version.keyConflict } : {}),
    // files have no risk
    repeated: [initiation, "Risk"].filter((path) => hasPath(schemas.orderRequest, path)),
    renderConsent: consentRenderer(version),
    renderOrder: orderRenderer({ ...version, orderStanding }),
    renderDetail: version.renderDetail,
    renderFunds,
  });

/**
 * Makes the function that reads a body, with the paths that it uses besides those of members. It
 * never throws, even if the schema refuses the body.
 */
export function initiationReader(
  paths: MemberPaths,
  { references, schedule }: InitiationNotation,
): Pick<InitiationFormat, "read" | "otherPaths"> {
  const isRecurring = paths["frequency.type"] !== undefined;
  const places = below(initiation, references);
  return {
    otherPaths: [...places, ...below(initiation, (isRecurring && schedule?.otherPaths) || [])],
    read(body): PaymentRequest {
      const request = readRequest(body, paths);
      const secondary = request.creditor?.secondaryIdentification ?? null;
      const reference = secondary ?? firstTextAt(body, places);
      if (request.schedule === null) return { ...request, reference };
      const currency = request.amount?.currency ?? null;
      const given = valueAt(body, initiation);
      const read = schedule?.read(given, { reference, currency });
      return { ...request, reference, schedule: { ...request.schedule, ...read } };
    },
  };
}

/** Makes the function that renders a consent: what was sent, and the bank's additions. */
const consentRenderer =
  ({ consentStanding }: InitiationVersion): Format["renderConsent"] =>
  (consent: Consent, { debtor, expected }: ConsentExtras, self: string) => {
    const { Risk } = consent.body;
    const { cutOff } = consent.terms;
    return {
      Data: {
        ...consentStanding(consent),
        ...(cutOff ? { CutOffDateTime: formatInstant(cutOff) } : {}),
        ...renderExpected(expected),
        Charges: renderCharges(consent.terms.charges),
        ...renderRate(consent.terms),
        ...consent.body.Data,
        ...(debtor ? { Debtor: renderAccount(debtor) } : {}),
      },
      ...(Risk === undefined ? {} : { Risk }),
      Links: { Self: self },
      Meta: {},
    };
  };

/** P-129: an order repeats the exchange rate of its consent. */
function renderRate({ exchangeRate }: ConsentTerms): object {
  if (exchangeRate === undefined) return {};
  const { unitCurrency, value, type, contractId, expiresAt } = exchangeRate;
  return {
    ExchangeRateInformation: {
      UnitCurrency: unitCurrency,
      ExchangeRate: value,
      RateType: type,
      ...(contractId === null ? {} : { ContractIdentification: contractId }),
      ...(expiresAt === null ? {} : { ExpirationDateTime: formatInstant(expiresAt) }),
    },
  };
}

const renderExpected = (expected: ExpectedDates | null = null): object =>
  expected === null
    ? {}
    : {
        ExpectedExecutionDateTime: formatInstant(expected.execution),
        ExpectedSettlementDateTime: formatInstant(expected.settlement),
      };

/** Makes the function that renders an order, which repeats the consent's initiation. */
const orderRenderer =
  ({ orderStanding, authorisationWords }: InitiationVersion): Format["renderOrder"] =>
  (order, shown, self) => {
    const { debtor, refund } = order.terms;
    return {
      Data: {
        ...orderStanding(order, shown),
        ...renderExpected(order.terms.expected),
        ...(refund ? { Refund: { Account: renderAccount(refund) } } : {}),
        Charges: renderCharges(order.consentTerms.charges),
        ...renderRate(order.consentTerms),
        Initiation: order.consentBody.Data.Initiation,
        ...shown.own?.Data,
        ...renderMultiAuthorisation(order, authorisationWords),
        Debtor: renderAccount(debtor),
      },
      Links: { Self: self },
      Meta: {},
    };
  };

function renderMultiAuthorisation(
  order: PaymentOrder,
  words: InitiationVersion["authorisationWords"],
): object {
  const { authorisationStatus: status, authorisationUpdatedAt, authorisationExpiresAt } = order;
  if (status === null) return {};
  return {
    MultiAuthorisation: {
      Status: words?.[status] ?? status,
      NumberRequired: order.signatoriesRequired,
      NumberReceived: order.signatoriesReceived,
      ...(authorisationUpdatedAt
        ? { LastUpdateDateTime: formatInstant(authorisationUpdatedAt) }
        : {}),
      ...(authorisationExpiresAt
        ? { ExpirationDateTime: formatInstant(authorisationExpiresAt) }
        : {}),
    },
  };
}

/** Renders the response to a funds confirmation. */
const renderFunds = ({ available, now, self }: FundsAnswer): object => ({
  Data: {
    FundsAvailableResult: { FundsAvailableDateTime: formatInstant(now), FundsAvailable: available },
  },
  Links: { Self: self },
  Meta: {},
});
