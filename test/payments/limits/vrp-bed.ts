import { after, before, beforeEach, describe } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { Answer, Json } from "#test/payments/answer-check.ts";
import { openPayments, orderOf, type PaymentsFixture } from "#test/payments/fixture.ts";
import { type TestedVrp, vrpVersions } from "./vrp-versions.ts";

/** The paths of consents and orders in v4.0. */
export const consents = "/domestic-vrp-consents";
export const orders = "/domestic-vrps";

export const sweeping = "UK.OBIE.VRPType.Sweeping";
export const byBank = "UK.OBIE.SCANotRequired";

export const payee = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "20201010981789",
  Name: "Ann Example",
};

/** A limit in pounds, as a consent has it. */
export const limit = (PeriodType: string, PeriodAlignment: string, Amount: string) => ({
  PeriodType,
  PeriodAlignment,
  Amount,
  Currency: "GBP",
});

/** The body of a consent: £5 per payment and £12 per calendar month; `change` may alter it. */
export function vrpConsent(change: (body: Json) => void = () => undefined): Json {
  const body = {
    Data: {
      ControlParameters: {
        VRPType: [sweeping],
        PSUAuthenticationMethods: [byBank],
        MaximumIndividualAmount: { Amount: "5.00", Currency: "GBP" },
        PeriodicLimits: [limit("Month", "Calendar", "12.00")],
      },
      Initiation: { CreditorAccount: { ...payee } },
    },
    Risk: {},
  };
  change(body);
  return body;
}

/**
 * The limits of a consent in a test that runs on the machine's clock. The first calendar month of a
 * consent is prorated, so near the end of a month its limit would allow almost nothing.
 */
export const limitsOnAnyDay = [limit("Month", "Consent", "12.00")];

/** The order that a consent's body allows. */
export function vrpOrder(consentId: string, body: Json, amount = "3.00"): Json {
  const order = orderOf(consentId, body);
  const { CreditorAccount = payee, RemittanceInformation } = structuredClone(order.Data.Initiation);
  Object.assign(order.Data, {
    PSUAuthenticationMethod: byBank,
    VRPType: sweeping,
    Instruction: {
      InstructionIdentification: "i1",
      EndToEndIdentification: "e1",
      InstructedAmount: { Amount: amount, Currency: "GBP" },
      CreditorAccount,
      ...(RemittanceInformation ? { RemittanceInformation } : {}),
    },
  });
  return order;
}

/** An authorised consent, and payments under it. */
export type Agreement = {
  consentId: string;
  token: string;
  body: Json;
  /** Submits an order; `change` may alter its body. */
  pay(
    amount?: string,
    options?: { key?: string; change?: (order: Json) => void; token?: string },
  ): Promise<Answer>;
};

type Payer = Pick<PaymentsFixture, "authorised" | "post">;

/**
 * Lodges a consent, by default in v4.0, and lets the customer authorise it. Returns the means to
 * pay under it.
 */
export async function agree(
  bank: Payer,
  change?: (body: Json) => void,
  { consents: path, orders: orderPath } = { consents, orders },
): Promise<Agreement> {
  const body = vrpConsent(change);
  const { consentId, token } = await bank.authorised({ body, path });
  return {
    consentId,
    token,
    body,
    pay(amount, { key, change: alter, token: other = token } = {}) {
      const order = vrpOrder(consentId, body, amount);
      alter?.(order);
      return bank.post(orderPath, { token: other, body: order, ...(key ? { key } : {}) });
    },
  };
}

/** A version of variable recurring payments at an open bank. */
export type VrpBed = TestedVrp & {
  /** The bank, which all versions of a file share. */
  readonly bank: PaymentsFixture;
  /** The paths of consents and orders. */
  consents: string;
  orders: string;
  agree(change?: (body: Json) => void): Promise<Agreement>;
  /** The faults of an answer, as the v4.0 code and the path. */
  faultsOf(answer: Answer): [string, string | undefined][];
  /** The status of an answer, and its faults likewise. */
  refused(answer: Answer): [number, ...[string, string | undefined][]];
  /** The refusal of a token for this reason, as `refused` returns it. */
  unauthorised(reason: "TKSP" | "TKXP"): [number, ...[string, string][]];
};

/**
 * Runs the same tests for each version, on a bank whose clock is set to the first day of a month
 * before each test: on that day, a new consent's monthly limits are not prorated.
 */
export function inEachVersion(run: (bed: VrpBed) => void): void {
  let opened: PaymentsFixture | undefined;
  before(async () => {
    opened = await openPayments();
  });
  after(() => opened?.close());
  beforeEach(() => opened?.clock.set("2027-03-01T10:00:00Z"));
  for (const version of vrpVersions) {
    describe(version.id, () => run(bedOf(version, () => present(opened, "the bank"))));
  }
}

function bedOf(version: TestedVrp, open: () => PaymentsFixture): VrpBed {
  const paths = { consents: version.basePath + consents, orders: version.basePath + orders };
  const faults: VrpBed["faultsOf"] = ({ body }) =>
    (body?.Errors ?? []).map(({ ErrorCode, Path }: Json) => [version.codeOf(ErrorCode), Path]);
  return {
    ...version,
    ...paths,
    get bank() {
      return open();
    },
    agree: (change) => agree(open(), change, paths),
    faultsOf: faults,
    refused: (answer) => [answer.status, ...faults(answer)],
    unauthorised: (reason) => (version.explains401 ? [401, [reason, "Authorization"]] : [401]),
  };
}
