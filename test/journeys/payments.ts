import { randomUUID } from "node:crypto";
import { assert } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { pathOf, type TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { examplesIn } from "#src/server/examples/examples.ts";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import { kindNamed, type PaymentKindId } from "#src/standard/kind-id.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";

/** A resource of an API. */
export type Resource = { Data: Record<string, unknown>; Links: { Self: string } };

const accessConsents = "account-access-consents";
// the APIs on which these functions create and read consents and orders
const accountApi = aispV31;
const paymentApi = pispV40;

/** A payee at another bank that posts payments immediately. */
export const quickPayee = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "00990000000001",
  Name: "Acme Supplies Ltd",
};

/** The members of a payment that a test sets. They replace those of an ordinary payment. */
export type Order = {
  kind?: PaymentKindId;
  amount?: string;
  payee?: object;
  initiation?: Record<string, unknown>;
  /** Members of `Data` besides `Initiation`. */
  data?: Record<string, unknown>;
};

/** A created consent, with the parts that the order must repeat. */
export type Lodged = { kind: PaymentKindId; consentId: string; initiation: object; risk: object };

/** Returns what a kind's consent has besides its initiation, as in the reference's example. */
export function consentFrame(kind: PaymentKindId): { members: object; Risk?: unknown } {
  const day = Temporal.PlainDate.from("2027-01-01"); // only the initiation has dates
  const { sample } = examplesIn(kindNamed(kind, paymentKinds), paymentApi.id);
  const { Data, ...risk } = sample(day).consent;
  const { Initiation: _, ...members } = Data;
  return { members, ...risk };
}

/** Creates a payment consent, and returns what the order needs. */
export async function lodge(
  client: TppClient,
  order: Order = {},
  headers: Record<string, string> = {},
): Promise<Lodged> {
  const { kind = "domestic-payment", amount = "12.34", payee = quickPayee } = order;
  const initiation = {
    InstructionIdentification: randomUUID().slice(0, 30),
    EndToEndIdentification: `E2E-${randomUUID().slice(0, 20)}`,
    InstructedAmount: { Amount: amount, Currency: "GBP" },
    CreditorAccount: payee,
    RemittanceInformation: { Unstructured: ["Invoice 42"] },
    ...order.initiation,
  };
  const { members } = consentFrame(kind);
  const risk = { PaymentContextCode: "TransferToThirdParty" };
  const answer = await client.call<Resource>({
    path: `${pathOf(paymentApi)}/${kind}-consents`,
    token: await client.clientToken("payments"),
    body: { Data: { ...members, ...order.data, Initiation: initiation }, Risk: risk },
    headers,
  });
  expectStatus(answer, 201);
  return { kind, consentId: String(answer.body.Data.ConsentId), initiation, risk };
}

/** Creates an account access consent, and returns its id. */
export async function lodgeAccess(
  client: TppClient,
  data: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await client.call<Resource>({
    path: `${pathOf(accountApi)}/${accessConsents}`,
    token: await client.clientToken("accounts"),
    body: {
      Data: {
        Permissions: [
          "ReadAccountsDetail",
          "ReadBalances",
          "ReadTransactionsDetail",
          "ReadTransactionsCredits",
          "ReadTransactionsDebits",
        ],
        ...data,
      },
      Risk: {},
    },
    headers,
  });
  expectStatus(answer, 201);
  return String(answer.body.Data.ConsentId);
}

/** Submits the order of a consent. Returns the response, whatever its status. */
export const submit = (
  client: TppClient,
  lodged: Lodged,
  token: string,
  idempotencyKey: string = randomUUID(),
) =>
  client.call<Resource>({
    path: `${pathOf(paymentApi)}/${lodged.kind}s`,
    token,
    idempotencyKey,
    body: {
      Data: { ConsentId: lodged.consentId, Initiation: lodged.initiation },
      Risk: lodged.risk,
    },
  });

/** Submits the order of a consent, and returns its id. */
export async function order(
  client: TppClient,
  lodged: Lodged,
  token: string,
  idempotencyKey?: string,
): Promise<string> {
  const answer = await submit(client, lodged, token, idempotencyKey);
  expectStatus(answer, 201);
  return String(answer.body.Data[kindNamed(lodged.kind, paymentKinds).orderIdField]);
}

/** Reads an order. */
export async function readOrder(
  client: TppClient,
  kind: PaymentKindId,
  orderId: string,
): Promise<Record<string, unknown>> {
  const token = await client.clientToken("payments");
  const path = `${pathOf(paymentApi)}/${kind}s/${orderId}`;
  const answer = await client.call<Resource>({ path, token });
  expectStatus(answer, 200);
  return answer.body.Data;
}

/** Reads a consent: its status, and its reasons if it has any. */
export async function readConsent(
  client: TppClient,
  path: string,
  consentId: string,
): Promise<{ status: string; reasons: string[] }> {
  const api = path === accessConsents ? accountApi : paymentApi;
  const token = await client.clientToken(api.scopes[0]);
  const answer = await client.call<Resource>({
    path: `${pathOf(api)}/${path}/${consentId}`,
    token,
  });
  expectStatus(answer, 200);
  const { Status, StatusReason = [] } = answer.body.Data as {
    Status: string;
    StatusReason?: { StatusReasonCode: string }[];
  };
  return { status: Status, reasons: StatusReason.map((one) => one.StatusReasonCode) };
}

// The final statuses. ACSC is not final, because ACCC may follow it.
const final = ["ACCC", "ACWP", "RJCT", "CANC"];

/** Reads an order until it has one of these statuses. Fails immediately if it never will. */
export async function untilStatus(
  client: TppClient,
  kind: PaymentKindId,
  id: string,
  ...wanted: string[]
): Promise<Record<string, unknown>> {
  const ends = [...wanted, ...final];
  const isSo = ({ Status }: Record<string, unknown>) => ends.includes(String(Status));
  const seen = await until(() => readOrder(client, kind, id), isSo);
  assert(wanted.includes(String(seen.Status)), `not ${JSON.stringify(seen)}`);
  return seen;
}

/** Returns the ledger's balance and held funds of an account, in pence. */
export async function loadFunds(bank: TestBank, accountId: string) {
  const funds = (await bank.bank.loadFunds([accountId])).get(accountId);
  if (!funds) throw new Error(`there is no account ${accountId}`);
  return funds;
}
