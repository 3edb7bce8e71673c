import type { Answer, Json } from "#test/payments/answer-check.ts";
import { orderOf, type PaymentsFixture } from "#test/payments/fixture.ts";

/** The paths of consents and orders. */
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

/** Lodges a consent and lets the customer authorise it. Returns the means to pay under it. */
export async function agree(
  bank: Pick<PaymentsFixture, "authorised" | "post">,
  change?: (body: Json) => void,
): Promise<Agreement> {
  const body = vrpConsent(change);
  const { consentId, token } = await bank.authorised({ body, path: consents });
  return {
    consentId,
    token,
    body,
    pay(amount, { key, change: alter, token: other = token } = {}) {
      const order = vrpOrder(consentId, body, amount);
      alter?.(order);
      return bank.post(orders, { token: other, body: order, ...(key ? { key } : {}) });
    },
  };
}

/** The faults of an answer, as code and path. */
export const faultsOf = ({ body }: Answer): [string, string | undefined][] =>
  (body?.Errors ?? []).map(({ ErrorCode, Path }: Json) => [ErrorCode, Path]);

/** The status of an answer, and its faults. */
export const refused = (answer: Answer) => [answer.status, ...faultsOf(answer)];
