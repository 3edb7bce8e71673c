import { createHash } from "node:crypto";
import type { BankAccount, BankCustomer } from "#src/bank/port.ts";

/** A customer of the second bank, with the data that a test needs to log in. */
export type SecondCustomer = BankCustomer & {
  password: string;
  description: string;
};

/** An account of the second bank at its opening. */
export type SecondAccount = BankAccount & { holders: string[]; bookedMinor: bigint };

const customer = (login: string, name: string): SecondCustomer => ({
  customerId: `second-${login}`,
  login,
  name,
  password: `${login}'s own password`,
  description: "a customer of the second bank",
});

/** Returns the code of a challenge, by a rule that tests can use too. */
export const codeOf = (challengeId: string): string =>
  String(createHash("sha256").update(challengeId).digest().readUInt32BE(0) % 1_000_000).padStart(
    6,
    "0",
  );

/** Ada and Bob share the joint account, for which both must sign. */
export const secondCustomers = [customer("ada", "Ada Quill"), customer("bob", "Bob Quill")];

const account = (
  accountId: string,
  number: string,
  more: Partial<SecondAccount> = {},
): SecondAccount => ({
  accountId,
  accountType: "Personal",
  accountSubType: "CurrentAccount",
  currency: "GBP",
  nickname: null,
  holderName: "Ada Quill",
  sortCodeAccountNumber: `608371${number}`,
  iban: null,
  maskedPan: null,
  signatoriesRequired: 1,
  status: "Enabled",
  holders: ["second-ada"],
  bookedMinor: 1_000_000n,
  ...more,
});

/** The accounts of the second bank when its process starts. */
export const secondAccounts: SecondAccount[] = [
  account("second-current", "10000001"),
  account("second-poor", "10000002", { nickname: "Nearly empty", bookedMinor: 100n }),
  account("second-blocked", "10000003", { nickname: "Blocked", status: "Disabled" }),
  account("second-joint", "10000004", {
    nickname: "Joint",
    holderName: "Ada and Bob Quill",
    signatoriesRequired: 2,
    holders: ["second-ada", "second-bob"],
  }),
  account("second-bob", "10000005", { holderName: "Bob Quill", holders: ["second-bob"] }),
];
