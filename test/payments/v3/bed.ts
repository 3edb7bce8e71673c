import assert from "node:assert/strict";
import { addHolders } from "#test/account-store/add-holders.ts";
import type { Answer, Json } from "#test/payments/answer-check.ts";
import { hashOf, json31 } from "#test/payments/files/fixture.ts";
import { sampleJson } from "#test/payments/files/samples.ts";
import { accounts, numbers, orderOf } from "#test/payments/fixture.ts";
import { type Abroad, openAbroad, payeeOf, start } from "#test/payments/international/abroad.ts";

/** The base path of v3.1. */
export const v31 = "/api/open-banking/v3.1/pisp";

/** The kinds that v3.1 has besides variable recurring payments, and the ids of their orders. */
export const v3Kinds = {
  "domestic-payment": "DomesticPaymentId",
  "domestic-scheduled-payment": "DomesticScheduledPaymentId",
  "domestic-standing-order": "DomesticStandingOrderId",
  "international-payment": "InternationalPaymentId",
  "international-scheduled-payment": "InternationalScheduledPaymentId",
  "international-standing-order": "InternationalStandingOrderId",
  "file-payment": "FilePaymentId",
} as const;

export type V3Kind = keyof typeof v3Kinds;

export const kinds = Object.keys(v3Kinds) as V3Kind[];

export type Change = (body: Json) => void;

/** The path of an initiation. */
export const at = "Data.Initiation";

/** A change of the members of an initiation. */
export const init =
  (members: object): Change =>
  ({ Data }) =>
    void Object.assign(Data.Initiation, members);

const instructed = {
  InstructionIdentification: "I-1",
  EndToEndIdentification: "E-1",
  InstructedAmount: { Amount: "5.00", Currency: "GBP" },
};
const toJoint = {
  CreditorAccount: {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: numbers.joint,
    Name: "Ann Example",
  },
};
const toGermany = {
  CurrencyOfTransfer: "EUR",
  InstructedAmount: { Amount: "100.00", Currency: "EUR" },
  CreditorAccount: {
    SchemeName: "UK.OBIE.IBAN",
    Identification: payeeOf("accept"),
    Name: "Kaffeerösterei Lindenau",
  },
};
// a Wednesday
const onDay = { RequestedExecutionDateTime: "2027-03-10T00:00:00+00:00" };
const monthly = {
  Frequency: "IntrvlMnthDay:01:10",
  FirstPaymentDateTime: "2027-03-10T00:00:00+00:00",
};

/** The payments of the sample file in the format of v3.1: one of each kind that it may have. */
export const sampleFile = sampleJson({
  DomesticPayments: [
    {
      ...instructed,
      ...toJoint,
      RemittanceInformation: { Unstructured: "Thanks", Reference: "REF-1" },
    },
  ],
  DomesticScheduledPayments: [{ ...instructed, ...toJoint, ...onDay }],
});

const initiations: Record<V3Kind, object> = {
  "domestic-payment": { ...instructed, ...toJoint },
  "domestic-scheduled-payment": { ...instructed, ...toJoint, ...onDay },
  "domestic-standing-order": {
    ...monthly,
    ...toJoint,
    FirstPaymentAmount: instructed.InstructedAmount,
  },
  "international-payment": { ...instructed, ...toGermany },
  "international-scheduled-payment": { ...instructed, ...toGermany, ...onDay },
  "international-standing-order": { ...monthly, ...toGermany },
  "file-payment": { FileType: json31, FileHash: hashOf(sampleFile) },
};

const later = (kind: V3Kind) => kind.includes("scheduled") || kind.includes("standing");

/** A request of v3.1 for a consent to £5 or 100 euros, which `change` may alter. */
export function v3Consent(kind: V3Kind, change: Change = () => undefined): Json {
  const body: Json = structuredClone({
    Data: { ...(later(kind) ? { Permission: "Create" } : {}), Initiation: initiations[kind] },
    ...(kind === "file-payment" ? {} : { Risk: {} }),
  });
  change(body);
  return body;
}

/** A consent of v3.1 that its customer has authorised. */
export type Granted = { consentId: string; token: string; body: Json; order: Json };

/** A bank that pays in v3.1 and v4.0, with functions for tests. */
export type V3Bed = Abroad & {
  /** Lodges a consent on v3.1. Returns the response, whatever it is. */
  lodge(kind: V3Kind, change?: Change): Promise<Answer>;
  /** Lodges a consent that must be accepted, with its file, and has it authorised. */
  granted(kind: V3Kind, change?: Change, accountId?: string): Promise<Granted>;
  /** Makes an order on v3.1, which must be accepted. Returns its data and its id. */
  ordered(kind: V3Kind, change?: Change, accountId?: string): Promise<{ id: string; data: Json }>;
  /** Reads something of v3.1 in that version, and in v4.0. Both must be there. */
  inBoth(path: string): Promise<{ older: Json; newer: Json }>;
};

/** Opens the bank. The joint account needs Ann's and Bob's signatures. */
export async function openV3(): Promise<V3Bed> {
  const bank = await openAbroad();
  await addHolders(bank.database, [
    { accountId: accounts.current, customerId: "customer-ann", role: "owner" },
    { accountId: accounts.joint, customerId: "customer-ann", role: "signatory" },
    { accountId: accounts.joint, customerId: "customer-bob", role: "signatory" },
  ]);
  const bed: V3Bed = {
    ...bank,
    lodge: (kind, change) =>
      bank.post(`${v31}/${kind}-consents`, { body: v3Consent(kind, change) }),
    async granted(kind, change, accountId) {
      const body = v3Consent(kind, change);
      const lodged = await bank.post(`${v31}/${kind}-consents`, { body });
      assert.equal(lodged.status, 201, JSON.stringify(lodged.body));
      const { ConsentId: consentId } = lodged.body.Data;
      if (kind === "file-payment") {
        const path = `${v31}/${kind}-consents/${consentId}/file`;
        const uploaded = await bank.post(path, { body: sampleFile });
        assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body));
      }
      const token = await bank.authorise(consentId, accountId);
      return { consentId, token, body, order: orderOf(consentId, body) };
    },
    async ordered(kind, change, accountId) {
      const { token, order } = await bed.granted(kind, change, accountId);
      const answer = await bank.post(`${v31}/${kind}s`, { token, body: order });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return { id: answer.body.Data[v3Kinds[kind]], data: answer.body.Data };
    },
    async inBoth(path) {
      const [older, newer] = await Promise.all([bank.get(v31 + path), bank.get(path)]);
      assert.deepEqual([older.status, newer.status], [200, 200], JSON.stringify(newer.body));
      return { older: older.body, newer: newer.body };
    },
  };
  return bed;
}

/** The status of a response, and the code and path of each of its faults. */
export const faultsOf = ({ status, body }: Answer): unknown[] => [
  status,
  ...(body?.Errors ?? []).map(({ ErrorCode, Path }: Json) => [ErrorCode, Path]),
];

/** The refusal of an id that a version does not know. */
export const unknownOn31 = (path: string) => [400, ["UK.OBIE.Resource.NotFound", path]];
export const unknownOn40 = (path: string) => [400, ["U011", path]];

export { start };
