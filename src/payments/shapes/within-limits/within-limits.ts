import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { statusesBefore } from "#src/consents/states.ts";
import { statusReasons } from "#src/consents/status-reasons.ts";
import { ApiError, refusal } from "#src/http/api-error.ts";
import { stepsFrom } from "#src/http/steps.ts";
import { present } from "#src/lib/assert.ts";
import type { PaymentSummary } from "#src/pages/consent-summary.ts";
import { bankDay, bankZone, type Day, isoDay } from "#src/payments/calendar/timing.ts";
import {
  type ConsentToUse,
  defineOrderShape,
  type JudgedSubmission,
  type OrderShape,
  requestOf,
  type ServedKind,
  type ShapeDeps,
  type StoredSubmission,
} from "#src/payments/definitions/payment-kind.ts";
import {
  bodyOn,
  type Format,
  type InstructionFormat,
  orderPathsOf,
  renderAccount,
} from "#src/payments/formats/format.ts";
import { contractOf, loadContractsFor } from "#src/payments/limits/contracts.ts";
import {
  checkLimits,
  exceededFaults,
  expiryOf,
  type LimitWindow,
  limitWindows,
  rejectionOf,
  validityOf,
} from "#src/payments/limits/order-limits.ts";
import { uncounted } from "#src/payments/limits/usage.ts";
import { anyPayee, permissionNotes } from "#src/payments/limits/use-words.ts";
import {
  type Creation,
  creation,
  type Drafts,
  draftedPayments,
  drafts,
  type NewOrder,
  type Taking,
  wasTooLate,
} from "#src/payments/order/create-order.ts";
import {
  countOrders,
  derivedId,
  type Origin,
  standardAccount,
} from "#src/payments/order/payment-order.ts";
import { locatedFaults, paymentChecks } from "#src/payments/request/checks.ts";
import { firstDifferenceAt, firstDifferenceElsewhere } from "#src/payments/request/match.ts";
import type { PaymentRequest, RequestedLimits } from "#src/payments/request/payment-request.ts";
import { hasMember, partOf } from "#src/payments/request/read-request.ts";
import { checkNotPaused, shutOut } from "#src/payments/request/refusals.ts";
import { chargesOf } from "#src/payments/request/tariff.ts";
import { accountReference, paymentOf } from "#src/payments/shapes/draft-order.ts";
import {
  checkRequest,
  consentSteps,
  refuseDifference,
  replaySteps,
  timeSteps,
} from "#src/payments/shapes/order-steps.ts";
import {
  cutOffNotes,
  listedPayment,
  payeeOf,
  referenceRows,
  refundNotes,
  whyOtherCurrency,
} from "#src/payments/shapes/summary-parts.ts";
import { isOfScheme, isShutOut } from "#src/standard/shared/vrp-types.ts";
import type { Queryable } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";
import { amountConfirmation } from "./confirm-amount.ts";
import { deletion } from "./delete-permission.ts";
import { limitInvariants } from "./verify-limits.ts";

const { contractOver } = statusReasons;

/**
 * The ids of an order follow from the request. After 24 hours, a TPP may use a key again, and the
 * new order is another payment, so the earlier orders of the same consent, key and body are
 * counted. Most orders need no count: the first attempt fails if an order with that id exists.
 * Source: P-053.
 */
function originOf(
  { kind, consent: { consentId }, use, isRepeated }: ConsentToUse,
  { database }: Pick<ShapeDeps, "database">,
): Origin | Promise<Origin> {
  const { operation, key, fingerprint } = use;
  const after = (earlier: number): Origin => ({
    of: "request",
    consentId,
    operation,
    key,
    fingerprint,
    earlier,
  });
  if (!isRepeated) return after(0);
  const idAfter = (earlier: number) => derivedId(kind.orderIdPrefix, after(earlier));
  return countOrders(database, idAfter).then(after);
}

/**
 * An order states its own payment and takes the rest from its consent. If the consent names a
 * payee, the order has the same payee. That payee is read from the consent, because the order's
 * version may shorten the name. Source: V-101, V-176.
 */
function requestedBy(
  { debtor, authorisation, readsRefundAccount, limits, creditor }: PaymentRequest,
  ordered: PaymentRequest,
): PaymentRequest {
  const payee = creditor ?? ordered.creditor;
  return { ...ordered, debtor, creditor: payee, authorisation, readsRefundAccount, limits };
}

/** The parts of an order that its consent does not have, which are stored with the order. */
function ownParts({ at, chosenDebtor }: InstructionFormat, body: unknown): ConsentBody {
  const { Data } = body as ConsentBody; // the body has passed the schema
  const isNamed = chosenDebtor !== undefined && hasMember(body, chosenDebtor);
  const names = [...(isNamed ? [chosenDebtor] : []), at].map(partOf);
  return { Data: Object.fromEntries(names.map((name) => [name, Data[name]])) };
}

/** What a kind says about consents that are used more than once. */
type PermissionTexts = Pick<OrderShape, "ownEvents"> & {
  /**
   * Returns the consent's texts for the customer: the limit for one payment and the limits per
   * period, which depend on the time of the consent's creation.
   */
  words(
    limits: RequestedLimits,
    given: Pick<Consent, "createdAt" | "terms">,
  ): Pick<PaymentSummary, "amount" | "rows">;
};

/** Orders of one payment each, of which a consent allows many within its limits. */
export const withinLimits = ({
  words,
  ownEvents = {},
}: PermissionTexts): OrderShape<"within limits"> =>
  defineOrderShape({
    use: "within limits",
    noun: "payment permission",
    payments: (plan) => [paymentOf(plan)],
    requestedBy,
    steps: limitSteps,
    refusals: { 400: ["U014", "U021", "U022", "U023", "U026", "U027"], 403: ["AG08"] },
    originOf,
    rejectionOf,
    chargesOf,
    additions: ({ kind: { format }, request: { use }, body }) => ({
      terms: {
        ...(use ? { use } : {}),
        ...(format.instruction ? { sent: ownParts(format.instruction, body) } : {}),
      },
    }),
    create(created, { createOrder }) {
      const { consent, asked, order } = created;
      const limits = present(asked.limits, "the limits of a consent");
      const day = bankDay(order.createdAt);
      const windows = limitWindows(limits, { createdAt: consent.createdAt, today: day });
      return createOrder(inLimits, { ...created, day, limits: windows });
    },
    summarise(plan, consent) {
      const { creditor } = plan.request;
      const limits = present(plan.request.limits, "the limits of a consent");
      const { amount, rows } = words(limits, consent);
      return {
        type: "payment",
        noun: "payment permission",
        amount,
        ...(creditor ? payeeOf(accountReference(creditor)) : anyPayee),
        // the words of a permission are its limits, unless they say something else
        rows: [
          ...rows.map((row) => ({ about: "cost" as const, confirmed: true, ...row })),
          ...referenceRows(plan.request),
        ],
        notes: [
          ...permissionNotes({ limits, creditor }),
          ...cutOffNotes(plan),
          ...refundNotes(plan),
        ],
      };
    },
    whyOtherCurrency,
    // nobody could ask the others to approve each payment. Source: V-055
    hasOneSignatory: true,
    showsDebtor: true,
    whyNotNow: ({ vrpContract }) => (vrpContract?.endedAt === undefined ? null : contractOver),
    ownEvents,
    listed: listedPayment,
    invariants: { consents: limitInvariants },
    consentOperations: (kind, deps, operation) => [
      deletion(kind, deps, operation),
      ...amountConfirmation(kind, deps, operation),
    ],
    loadFacts: async (asked, { clientId, schemeStatus }, { database }) => ({
      contracts: await loadContractsFor(database, clientId, asked),
      schemeStatus,
    }),
    // Source: V-030, V-096, V-097
    additionsToConsent(given) {
      const { limits } = given.request;
      const contract = contractOf(given);
      return {
        expiresAt: limits && expiryOf(bankZone, validityOf(limits)),
        terms: contract
          ? { vrpContract: { contractId: contract.contractId, purpose: contract.purpose } }
          : {},
      };
    },
  });

const replay = stepsFrom<JudgedSubmission, ServedKind>()
  // Source: V-131
  .add({
    name: "payload-version",
    applies: ({ format }) => format.instruction?.payloadVersions !== undefined,
    check({ kind, request: { headers } }) {
      const given = headers["payload-version"];
      const { payloadVersions = [] } = kind.format.instruction ?? {};
      if (given === undefined) return;
      if (typeof given === "string" && payloadVersions.includes(given)) return;
      const message = `payload-version must be one of ${payloadVersions.join(", ")}, or left out.`;
      throw refusal("U006", "payload-version", message);
    },
  })
  .addAll(replaySteps);

const order = consentSteps
  // Source: P-152…P-158, V-101…V-105
  .add({
    name: "match",
    check({ kind: { format }, consent, request: { body } }) {
      const agreed = withChosenDebtor(format, consent, body);
      refuseDifference(
        firstDifferenceAt(format.repeated, agreed, body) ??
          firstDifferenceElsewhere(format.instruction?.repeated ?? [], agreed, body),
      );
    },
  })
  .add({
    name: "dates",
    check: (submission) => checkRequest(submission, [...paymentChecks, ...submission.kind.checks]),
  })
  .addAll(timeSteps)
  // Source: CV-21, CV-24
  .add({
    name: "scheme",
    check({ kind, ordered, request }) {
      const { type } = ordered.use ?? {};
      const { schemeStatus } = request.access;
      if (type == null || !isOfScheme(type) || !isShutOut(schemeStatus)) return;
      throw shutOut(orderPathsOf(kind.format)["use.type"] ?? "Data", type, schemeStatus);
    },
  })
  // Source: CV-88
  .add({ name: "pause", check: ({ consent }) => checkNotPaused(consent) })
  // the limits of a single order
  .add({
    name: "limits",
    check({ kind, consent, ordered, request: { now } }) {
      const limits = present(requestOf(kind, consent).limits, "the limits of a consent");
      const faults = checkLimits(limits, ordered, bankDay(now));
      if (faults.length > 0)
        throw new ApiError(400, locatedFaults(faults, orderPathsOf(kind.format)));
    },
  });

const storing = stepsFrom<StoredSubmission, ServedKind>()
  // the sums of the orders in each period. Source: V-115, V-116
  .add({
    name: "period-limits",
    check({ kind, asked, exceeded }) {
      if (exceeded.length === 0) return;
      const faults = exceededFaults(present(asked.limits, "the limits of a consent"), exceeded);
      throw new ApiError(400, locatedFaults(faults, orderPathsOf(kind.format)));
    },
  });

/** The checks of an order that states its own payment, within the limits of its consent. */
const limitSteps = { replay, order, storing };

/**
 * The body that an order is compared with: that of its consent. If the customer chose the account
 * and the order names it, so does that body. Source: V-107.
 */
function withChosenDebtor(format: Format, consent: Consent, order: unknown): ConsentBody {
  const agreed = bodyOn(format, consent);
  const path = format.instruction?.chosenDebtor;
  if (path === undefined || !hasMember(order, path) || hasMember(agreed, path)) return agreed;
  const { debtor } = consent;
  const part = partOf(path);
  const member = path.slice(path.lastIndexOf(".") + 1);
  const named = debtor && {
    [member]: renderAccount(standardAccount(debtor, { international: null })),
  };
  const initiation = agreed.Data[part] as object; // as the schema has it
  return { ...agreed, Data: { ...agreed.Data, [part]: { ...initiation, ...named } } };
}

/** An order with its London day and the limits of its consent on that day. */
export type LimitedOrder = NewOrder & {
  day: Day;
  limits: readonly LimitWindow[];
};

/**
 * Creates the orders that fit the limits of their consents, in one statement, each after the ones
 * before it in the list. An order that does not fit changes nothing and leaves the others as they
 * are. An order that is not created although it exceeds no limit came after another request with
 * its key, or its consent cannot be used any more. Source: V-115…V-120, V-124.
 */
export const inLimits: Creation<LimitedOrder> = () => createWithinLimits;

async function createWithinLimits(
  on: Queryable,
  orders: readonly LimitedOrder[],
): Promise<Taking[]> {
  try {
    const rows = await on.query<Taken>(statement({ ...drafts(orders), takings: takings(orders) }));
    return orders.map(({ order, limits }) => {
      const exceeded = rows.find(({ orderId }) => orderId === order.orderId)?.exceeded;
      const positions = (exceeded ?? []).map((place) => present(limits[place], "it").position);
      return { isCreated: exceeded?.length === 0, exceeded: positions };
    });
  } catch (error) {
    if (orders.length > 1 || !wasTooLate(error)) throw error;
    return [{ isCreated: false, exceeded: [] }];
  }
}

type Taken = { orderId: string; exceeded: number[] };

const statement = prepare((given: Drafts & { takings: string }) =>
  creation(given.records, draftedPayments(given.payments), {
    use: "within limits",
    consumed: sql`
      taken as materialized (
        select t.order_id, t.exceeded from take_limits(${given.takings}::json) t
      ), consumed as (
        select g.* from taken t join given g using (order_id) where t.exceeded = '{}')`,
    // an order leaves such a consent as it is
    changes: null,
    result: sql`select order_id as "orderId", to_json(exceeded) as exceeded from taken`,
  }),
);

/** The parameter of `take_limits`: each order with the limits of its consent. */
const takings = (orders: readonly LimitedOrder[]): string =>
  JSON.stringify(
    orders.map(({ order, consent, course, day, payments: [payment], limits }) => ({
      order_id: order.orderId,
      consent_id: consent.consentId,
      usable_in: statusesBefore(course, "consume"),
      day: isoDay(day),
      amount_minor: present(payment, "an order's payment").amount.amountMinor.toString(),
      is_counted: !uncounted.some((status) => status === order.status),
      limits: limits.map(({ first, last, limitMinor }) => ({
        first: isoDay(first),
        last: isoDay(last),
        limit_minor: limitMinor.toString(),
      })),
    })),
  );
