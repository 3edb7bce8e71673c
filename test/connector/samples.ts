// A call of the port of each kind, with an answer that has every member.
import type { Bank, PaymentInstruction } from "#src/bank/port.ts";
import type { CallName } from "#src/bank/port-answers.ts";

const at = Temporal.Instant.from("2026-11-24T09:00:00.5Z");
const pounds = (amountMinor: bigint) => ({ amountMinor, currency: "GBP" });
const yen = (amountMinor: bigint) => ({ amountMinor, currency: "JPY" });
const creditor = {
  schemeName: "UK.OBIE.SortCodeAccountNumber",
  identification: "20000319825731",
  name: "Zoë O'Neill",
  secondaryIdentification: null,
};
const account = {
  accountId: "a/1 %2F",
  accountType: "Personal",
  accountSubType: "CurrentAccount",
  currency: "GBP",
  nickname: null,
  holderName: "Ada Quill",
  sortCodeAccountNumber: "60837110999901",
  secondaryIdentification: "roll 7",
  iban: null,
  maskedPan: null,
  signatoriesRequired: 1,
  status: "Enabled",
} as const;
const customer = { customerId: "c1", login: "ada", name: "Ada Quill" };
const rate = { unitCurrency: "GBP", otherCurrency: "JPY", rate: "183.045" };
const tpp = {
  clientId: "tpp-1",
  organisationId: "org",
  organisationName: "Harbour Pay Ltd",
  softwareId: "soft",
  softwareName: "Harbour Pay",
  onBehalfOf: null,
};
const sent = { Data: { Initiation: { InstructedAmount: { Amount: "10.00", Currency: "GBP" } } } };
const international = {
  transferCurrency: "JPY",
  rate: null,
  contractId: "contract-1",
  charge: pounds(1000n),
  deduction: null,
  network: "SWIFT",
  creditorAgent: { bic: "BOTKJPJT", name: null, country: null },
  fundsAtOnce: true,
} as const;
const payment: PaymentInstruction = {
  paymentId: "pay-1",
  debtorAccountId: "a1",
  amount: pounds(1234n),
  charge: pounds(350n),
  creditor,
  endToEndId: "e2e",
  reference: null,
  localInstrument: "UK.OBIE.CHAPS",
  international: null,
};
const payments: PaymentInstruction[] = [
  {
    ...payment,
    isStandingOrder: true,
    context: {
      orderId: "pord-1",
      consentId: "pcon-1",
      kind: "domestic-payment",
      sequence: 1,
      tpp,
      approvedBy: [
        { customerId: "c1", authentication: { at, acr: "urn:sca", amr: ["pwd", "otp"] } },
        { customerId: "c2", authentication: null },
      ],
      sent: { apiVersion: "pisp-v4.0", consent: { ...sent, Risk: {} }, order: null },
      entry: { CreditorAccount: { Name: "Zoë" } },
      use: { type: "Sweeping", authentication: null, interaction: "InSession" },
      attachedData: "case=4711",
    },
  },
  { ...payment, paymentId: "pay-2", amount: yen(5000n), charge: null, international },
];

type Sample<Name extends CallName> = {
  given: Parameters<NonNullable<Bank[Name]>>;
  answer: Awaited<ReturnType<NonNullable<Bank[Name]>>>;
};

/** The calls with their answers. */
export const samples: { readonly [Name in CallName]: Sample<Name> } = {
  authenticate: { given: ["ada", "päss"], answer: customer },
  challenge: {
    given: [
      "c1",
      { act: "save payee", id: "p1", payee: { name: "Zoë", account: "20-00-03" } },
      { subjectHash: "hash", method: "code" },
    ],
    answer: {
      challengeId: "ch",
      method: "code",
      expiresAt: at,
      sentTo: "mobile ending 417",
      passkey: {
        request: {
          challenge: "c2lnbmVk",
          rpId: "bank.example",
          allowCredentials: [{ type: "public-key", id: "a2V5", transports: ["internal"] }],
          userVerification: "required",
        },
        hasCode: true,
      },
    },
  },
  verify: { given: ["ch", "123456"], answer: { amr: ["hwk", "user"] } },
  challengeResult: {
    given: ["ch"],
    answer: { state: "approved", at, amr: ["hwk", "fpt"], subjectHash: "hash" },
  },
  loadCustomer: { given: ["c1", true], answer: null },
  listAccounts: {
    given: ["c1", { funds: true }],
    answer: [
      { ...account, funds: { bookedMinor: -5n, availableMinor: 0n, currency: "GBP" } },
      { ...account, accountId: "a2", funds: null },
    ],
  },
  loadAccount: { given: ["a/1 %2F"], answer: account },
  findAccount: { given: ["UK.OBIE.IBAN", "GB33", null], answer: "ambiguous" },
  loadFunds: {
    given: [["a1", "a2"]],
    answer: new Map([["a1", { bookedMinor: 100n, availableMinor: -20n, currency: "JPY" }]]),
  },
  listBeneficiaries: {
    given: ["c1"],
    answer: [
      { beneficiaryId: "b1", creditor, creditorBic: null, reference: "Rent", isTrusted: true },
    ],
  },
  saveBeneficiary: {
    given: ["c1", { creditor, creditorBic: "BOTKJPJT", reference: null }],
    answer: false,
  },
  trustBeneficiary: { given: ["c1", "b1", true], answer: true },
  removeBeneficiary: { given: ["c1", "b1"], answer: true },
  listDirectDebits: {
    given: ["c1"],
    answer: [
      {
        directDebitId: "d1",
        accountId: "a1",
        originatorName: "Power Ltd",
        mandateReference: "M1",
        isActive: true,
        nextAt: at,
        previous: { at, amount: pounds(4250n) },
      },
    ],
  },
  cancelDirectDebit: { given: ["c1", "d1"], answer: true },
  confirmFunds: { given: ["a1", pounds(1n)], answer: true },
  quoteRate: {
    given: [{ unitCurrency: "GBP", otherCurrency: "JPY" }, "Actual"],
    answer: { ...rate, expiresAt: at },
  },
  loadContract: {
    given: ["contract-1"],
    answer: {
      ...rate,
      contractId: "contract-1",
      accountId: "a1",
      remaining: yen(7n),
      expiresAt: at,
    },
  },
  price: {
    given: [{ debtorAccountId: "a1", amount: yen(5000n), international }],
    answer: { debit: pounds(27n), charge: pounds(1n), credit: yen(5000n), deducted: null, rate },
  },
  reserve: {
    given: [payments],
    answer: [
      { state: "reserved" },
      { state: "refused", reason: { code: "AM04", text: "InsufficientFunds" } },
    ],
  },
  execute: {
    given: [payments],
    answer: [
      { state: "pending", askAt: at },
      { state: "held", until: at },
    ],
  },
  ask: {
    given: [["pay-1", "pay-2"]],
    answer: [
      { state: "settled", posted: false },
      { state: "failed", inDoubt: true },
    ],
  },
  release: { given: [["pay-1"]], answer: undefined },
  listPayments: {
    given: [at, "pay-0"],
    answer: [{ paymentId: "pay-1", debtorAccountId: "a1", amount: pounds(1234n), receivedAt: at }],
  },
  listSignatories: { given: ["a1"], answer: [{ customerId: "c1", name: "Ada Quill" }] },
  confirmPayee: { given: [creditor], answer: { result: "close match", name: "Zoe Oneill" } },
  assess: {
    given: [
      {
        consentId: "pcon-1",
        kind: "domestic-payment",
        customerId: "c1",
        accountIds: ["a1"],
        isRenewal: false,
        hasSteppedUp: true,
        tpp,
        sent: { apiVersion: "pisp-v4.0", consent: sent },
        payeeCheck: { result: "no match" },
        attachedData: "case=4711",
      },
    ],
    answer: {
      result: "refuse",
      customerText: "Not more than £300 a day.",
      reason: { code: "AM14", text: "The limit would be exceeded." },
    },
  },
  assessOrder: {
    given: [
      {
        orderId: "pord-1",
        consentId: "pcon-1",
        kind: "domestic-payment",
        customerId: "c1",
        debtorAccountId: "a1",
        sent: { apiVersion: "pisp-v4.0", consent: sent, order: null },
        use: null,
        attachedData: "case=4711",
      },
    ],
    answer: {
      result: "later",
      until: at,
      reason: { code: "TM01", text: "The cut-off has passed." },
    },
  },
  loadStatementDocument: {
    given: [{ accountId: "a1", statementId: "s1", customerId: "c1" }],
    answer: Buffer.from("%PDF-1.7 \u0000é", "latin1"),
  },
  tell: {
    given: [
      [
        {
          noticeId: "ntc-1",
          position: 84512n,
          at,
          occasion: "consent-given",
          by: "customer",
          interactionId: null,
          consentId: "aac-1",
          orderId: null,
          kind: "account-access",
          status: "AUTH",
          reasons: [{ code: "CUST", text: "The customer did it" }],
          channel: { name: "app", actor: "ada", reason: "lost" },
          tpp,
          customerIds: ["c1"],
          accountIds: ["a1"],
          consent: { expiresAt: at, isPaused: false, hasGrant: true },
          attachedData: "case=4711",
        },
      ],
    ],
    answer: undefined,
  },
};
