import type { Bank, BankAccount, BankCustomer, Beneficiary } from "#src/bank/port.ts";
import { newId } from "#src/lib/ids.ts";

/** A customer of the bank that replaces a core in these tests. */
export type PaperCustomer = BankCustomer & { password: string; code: string };

const account = (accountId: string, more: Partial<BankAccount> = {}): BankAccount => ({
  accountId,
  accountType: "Personal",
  accountSubType: "CurrentAccount",
  currency: "GBP",
  nickname: null,
  holderName: "A Holder",
  sortCodeAccountNumber: `20201012345${accountId.padStart(3, "0").slice(-3)}`,
  iban: null,
  maskedPan: null,
  signatoriesRequired: 1,
  status: "Enabled",
  ...more,
});

const customer = (login: string): PaperCustomer => ({
  customerId: `cust-${login}`,
  login,
  name: login.toUpperCase(),
  password: `${login}-password`,
  code: "246802",
});

/**
 * anna and ben have two accounts each, joint's account needs two signatures, poor has no account,
 * and the two accounts of roll share a number.
 */
export const paperCustomers = ["anna", "ben", "joint", "poor", "roll"].map(customer);

const accounts: Record<string, BankAccount[]> = {
  "cust-anna": [account("101"), account("102", { accountSubType: "Savings" })],
  "cust-ben": [account("201"), account("202")],
  "cust-joint": [account("301", { signatoriesRequired: 2 })],
  "cust-poor": [],
  "cust-roll": ["R/1", "R/2"].map((secondaryIdentification, index) =>
    account(`40${index}`, { sortCodeAccountNumber: "20201012345400", secondaryIdentification }),
  ),
};

const byId = (customerId: string): PaperCustomer | undefined =>
  paperCustomers.find((candidate) => candidate.customerId === customerId);

// the customers of unanswered challenges
const challenged = new Map<string, string>();

const funds = { bookedMinor: 123_456n, availableMinor: 123_456n, currency: "GBP" };

const unused = (): never => {
  throw new Error("the authorization server moves no money");
};

/**
 * A core whose provider has ids of its own: there, `cust-poor` is the customer whose id is
 * `cust-anna` in the core.
 */
export const withOwnSubjects: Pick<Bank, "loadCustomer"> = {
  loadCustomer: (id, isSubject) =>
    paperBank.loadCustomer(isSubject && id === "cust-poor" ? "cust-anna" : id),
};

/** A payee that a customer may trust. */
export const paperPayee: Beneficiary = {
  beneficiaryId: "b-1",
  creditor: {
    schemeName: "UK.OBIE.IBAN",
    identification: "GB00TEST",
    name: "Acme Ltd",
    secondaryIdentification: null,
  },
  creditorBic: null,
  reference: null,
  isTrusted: false,
};

/** A bank's core in memory, with what the authorization server needs from it. */
export const paperBank: Bank = {
  async authenticate(login, password) {
    const found = paperCustomers.find((candidate) => candidate.login === login);
    return found?.password === password ? found : null;
  },
  challenge: async (customerId) => {
    const challengeId = newId("sca");
    challenged.set(challengeId, customerId);
    const expiresAt = Temporal.Now.instant().add({ hours: 24 * 365 });
    return { challengeId, method: "code", expiresAt };
  },
  verify: async (challengeId, code) => {
    const customerId = challenged.get(challengeId);
    const isRight = customerId !== undefined && byId(customerId)?.code === code;
    if (isRight) challenged.delete(challengeId);
    return isRight;
  },
  loadCustomer: async (customerId) => byId(customerId) ?? null,
  listAccounts: async (customerId, wanted) =>
    (accounts[customerId] ?? []).map((one) => (wanted?.funds ? { ...one, funds } : one)),
  loadAccount: async (accountId) =>
    Object.values(accounts)
      .flat()
      .find((candidate) => candidate.accountId === accountId) ?? null,
  findAccount: async (_schemeName, identification) =>
    Object.values(accounts)
      .flat()
      .find(({ sortCodeAccountNumber }) => sortCodeAccountNumber === identification) ?? null,
  loadFunds: async (accountIds) => new Map(accountIds.map((accountId) => [accountId, funds])),
  listBeneficiaries: async () => [],
  saveBeneficiary: unused,
  trustBeneficiary: unused,
  removeBeneficiary: unused,
  listDirectDebits: async () => [],
  cancelDirectDebit: unused,
  confirmFunds: unused,
  chargesOf: () => [],
  exchangeCurrencies: [],
  quoteRate: unused,
  loadContract: unused,
  price: unused,
  reserve: unused,
  execute: unused,
  ask: unused,
  release: unused,
};
