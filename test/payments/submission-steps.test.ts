// The checks of a submission are made in the order that `./aldgate routes --steps` prints.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { readConsent, setConsent } from "#test/consents/stored-rows.ts";
import {
  changedToken,
  checkOrder,
  printedSteps,
  type StepFault,
  type TokenChanges,
} from "#test/http/step-order.ts";
import type { Json } from "./answer-check.ts";
import {
  domesticConsent,
  type Front,
  type Granted,
  openPayments,
  type PaymentsFixture,
  scheduledConsent,
  standingOrderConsent,
} from "./fixture.ts";
import { euroConsent } from "./international/abroad.ts";
import * as vrp from "./limits/vrp-bed.ts";

// A Wednesday, before the cut-off. A rate that is quoted now expires after the cut-off.
const start = "2027-03-03T15:50:00Z";

/** The consents of a kind: one that an order has used, and one without an order. */
type Consents = { paid: Granted; unpaid: Granted };

/** An order before it is sent. */
type Draft = {
  consents: Consents;
  /** The consent whose token is sent. */
  granted: Granted;
  token: TokenChanges;
  headers: Record<string, string>;
  order: Json;
  /** Follows the JSON of the body. */
  suffix: string;
  /** When the order is sent. */
  at: string;
  /** Whether the customer has paused the payments of the consent. */
  isPaused: boolean;
};

const operations = listOperations(paymentKinds).filter(({ api }) => api.id === "pisp-v4.0");
let bank: PaymentsFixture;
let front: Front;
/** The grants of a consent of another API, and of another consent to a domestic payment. */
let foreign: { grantId: string };
let other: { grantId: string };
/** A consent of another kind than those that are tested. */
let otherKind: Granted;

before(async () => {
  bank = await openPayments();
  bank.clock.set(start);
  front = await bank.configured({ CUT_OFF_TIME: "16:00", CUT_OFF_STRATEGY: "reject" });
  const granted = await front.authorised();
  foreign = await grantOf(granted);
  await setConsent(bank.database, granted.consentId, { apiVersion: "aisp-v4.0" });
  other = await grantOf(await front.authorised());
  const body = standingOrderConsent();
  otherKind = await front.authorised({ body, path: "/domestic-standing-order-consents" });
});
after(() => bank?.close());

async function grantOf({ consentId }: Granted): Promise<{ grantId: string }> {
  const { grantId } = await readConsent(bank.database, consentId);
  return { grantId: present(grantId, "its grant") };
}

const usedKey = "used";

const faults = {
  "interaction-id": {
    add: ({ headers }) => Object.assign(headers, { "x-fapi-interaction-id": "none" }),
    refusal: /^400 U006 x-fapi-interaction-id/,
  },
  token: { add: ({ token }) => Object.assign(token, { isExpired: true }), refusal: /^401/ },
  grant: {
    add: ({ token }) => Object.assign(token, { kind: "client_credentials" }),
    refusal: /^403 U006 Authorization .*grant/,
  },
  scope: {
    add: ({ token }) => Object.assign(token, { scope: "openid accounts" }),
    refusal: /^403 U006 Authorization .*scope/,
  },
  "consent-version": {
    add: ({ token }) => Object.assign(token, foreign),
    refusal: /^403 U006 Authorization .*created on aisp-v4\.0/,
  },
  accept: {
    add: ({ headers }) => Object.assign(headers, { accept: "image/png" }),
    refusal: /^406/,
  },
  "content-type": {
    add: ({ headers }) => Object.assign(headers, { "content-type": "text/plain" }),
    refusal: /^415/,
  },
  "auth-date": {
    add: ({ headers }) => Object.assign(headers, { "x-fapi-auth-date": "never" }),
    refusal: /^400 U006 x-fapi-auth-date/,
  },
  "idempotency-key": {
    add: ({ headers }) => Object.assign(headers, { "x-idempotency-key": " " }),
    refusal: /^400 U00[67] x-idempotency-key/,
  },
  body: { add: (draft) => Object.assign(draft, { suffix: "}" }), refusal: /^400 .*JSON/ },
  replay: {
    add: ({ headers }) => Object.assign(headers, { "x-idempotency-key": usedKey }),
    refusal: /^400 U029/,
  },
  schema: { add: ({ order }) => delete order.Risk, refusal: /^400 U004 Risk/ },
  consent: {
    add: ({ order }) => Object.assign(order.Data, { ConsentId: otherKind.consentId }),
    refusal: /^400 U011 Data\.ConsentId/,
  },
  owner: {
    add: ({ token }) => Object.assign(token, other),
    refusal: /^403 U011 Data\.ConsentId/,
  },
  match: {
    add: ({ order }) => Object.assign(order.Data.Initiation.CreditorAccount, { Name: "Dr Bar" }),
    refusal: /^400 U008 Data\.Initiation\.CreditorAccount\.Name/,
  },
} satisfies Record<string, StepFault<Draft>>;

/** Sends the order under another consent of the same kind. */
const under = (consent: (granted: Consents) => Granted, refusal: RegExp): StepFault<Draft> => ({
  add(draft) {
    draft.granted = consent(draft.consents);
    draft.order.Data.ConsentId = draft.granted.consentId;
  },
  refusal,
});

const used = under(({ paid }) => paid, /^400 U009 Data\.Status/);

const sentAt = (at: string, refusal: RegExp): StepFault<Draft> => ({
  add: (draft) => Object.assign(draft, { at }),
  refusal,
});

const noRateLimit = { "rate-limit": "this bank has none" };
const afterCutOff = sentAt("2027-03-03T16:00:00Z", /^400 U012 .*cut-off/);
const noDate = { dates: "the payment has no date" };
const noRate = { rate: "the payment has no exchange rate" };

/** A kind of orders, with the faults that only its own orders can have. */
type Tested = {
  operationId: string;
  consents: string;
  orders: string;
  body: () => Json;
  /** What an order has that its consent has not. */
  complete?: (order: Json) => void;
  faults: Record<string, StepFault<Draft>>;
  faultless: Record<string, string>;
};

const tested: readonly Tested[] = [
  {
    operationId: "CreateDomesticPayments",
    consents: "/domestic-payment-consents",
    orders: "/domestic-payments",
    body: domesticConsent,
    faults: { status: used, "cut-off": afterCutOff },
    faultless: { ...noDate, ...noRate },
  },
  {
    operationId: "CreateDomesticScheduledPayments",
    consents: "/domestic-scheduled-payment-consents",
    orders: "/domestic-scheduled-payments",
    body: () =>
      scheduledConsent(({ Data }) => {
        Data.Initiation.RequestedExecutionDateTime = "2027-03-04T00:00:00+00:00";
      }),
    faults: {
      status: used,
      dates: sentAt("2027-03-04T00:00:00Z", /^400 U003 .*RequestedExecutionDateTime/),
    },
    faultless: { ...noRate, "cut-off": "only immediate payments have a cut-off" },
  },
  {
    operationId: "CreateInternationalPayments",
    consents: "/international-payment-consents",
    orders: "/international-payments",
    body: () =>
      euroConsent(({ Data }) => {
        Data.Initiation.ExchangeRateInformation = { UnitCurrency: "GBP", RateType: "Actual" };
      }),
    faults: {
      status: used,
      rate: sentAt("2027-03-03T16:05:00Z", /^400 U009 Data\.ExchangeRateInformation/),
      "cut-off": afterCutOff,
    },
    faultless: noDate,
  },
  {
    operationId: "domesticVrpPost",
    consents: vrp.consents,
    orders: vrp.orders,
    body: () =>
      vrp.vrpConsent(({ Data }) => {
        Data.ControlParameters.PeriodicLimits = [vrp.limit("Month", "Calendar", "5.00")];
      }),
    complete: (order) => Object.assign(order, vrp.vrpOrder(order.Data.ConsentId, order)),
    faults: {
      "payload-version": {
        add: ({ headers }) => Object.assign(headers, { "payload-version": "1.0" }),
        refusal: /^400 U006 payload-version/,
      },
      // the amount has too many decimal places, and may be above the limit
      dates: {
        add: ({ order }) => {
          order.Data.Instruction.InstructedAmount.Amount += "1";
        },
        refusal: /^400 U002 Data\.Instruction\.InstructedAmount\.Amount/,
      },
      pause: {
        add: (draft) => Object.assign(draft, { isPaused: true }),
        refusal: /^403 AG08 Data\.ConsentId .*paused/,
      },
      limits: {
        add: ({ order }) =>
          Object.assign(order.Data.Instruction.InstructedAmount, { Amount: "5.01" }),
        refusal: /^400 U014 Data\.ControlParameters\.MaximumIndividualAmount/,
      },
      // the consent has paid £3 in a month for which its limit is less than £5
      "period-limits": under(
        ({ paid }) => paid,
        /^400 U014 Data\.ControlParameters\.PeriodicLimits\[0\]/,
      ),
    },
    faultless: {
      status: "the token of a consent that is not authorised is refused first",
      ...noRate,
      "cut-off": "these payments have no cut-off",
      scheme: "a sweeping consent is not of the commercial scheme",
    },
  },
];

for (const kind of tested) {
  test(`an order with two faults gets the error of the step that is printed first (${kind.operationId})`, async () => {
    bank.clock.set(start);
    const agree = async (): Promise<Granted> => {
      const granted = await front.authorised({ body: kind.body(), path: kind.consents });
      kind.complete?.(granted.order);
      return granted;
    };
    const consents: Consents = { paid: await agree(), unpaid: await agree() };
    const paying: [Granted, { key?: string }][] = [
      [consents.paid, {}],
      [await agree(), { key: usedKey }],
    ];
    for (const [{ token, order: body }, key] of paying) {
      assert.equal((await front.post(kind.orders, { token, body, ...key })).status, 201);
    }
    const { unpaid } = consents;
    await checkOrder<Draft>({
      printed: printedSteps(operations, kind.operationId),
      faults: { ...faults, ...kind.faults },
      faultless: { ...noRateLimit, ...kind.faultless },
      draft: () => ({
        consents,
        granted: unpaid,
        token: {},
        headers: {},
        order: structuredClone(unpaid.order),
        suffix: "",
        at: start,
        isPaused: false,
      }),
      async send({ granted, token: changes, headers, order, suffix, at, isPaused }) {
        bank.clock.set(at);
        const pausedAt = isPaused ? bank.clock.now() : null;
        await setConsent(bank.database, granted.consentId, { pausedAt: pausedAt });
        const changed = await changedToken(bank.database, granted.token, changes);
        const sent = { token: changed, body: JSON.stringify(order) + suffix, headers };
        return front.post(kind.orders, sent);
      },
    });
  });
}
