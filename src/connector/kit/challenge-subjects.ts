// What the challenges of the kit are about.
import type { ChallengeSubject } from "#src/bank/challenge.ts";

const terms = (id: string, amount: string) => ({
  id,
  amount,
  payee: { name: "Zoë O'Neill", account: "20-00-03 19825731" },
  termsHash: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
});

/** A payment of an amount, as shown to the customer. */
export const payment = (amount: string): ChallengeSubject => ({
  act: "payment",
  ...terms("c1", amount),
});

/** A subject of each act. */
export const subjects: readonly ChallengeSubject[] = [
  { act: "login" },
  payment("£10.00"),
  { act: "file", ...terms("c2", "£1,000.00") },
  { act: "standing order", ...terms("c3", "£10.00 every Tuesday") },
  {
    act: "payment permission",
    ...terms("c4", "£10.00"),
    details: [{ label: "Each month", value: "up to £100.00" }],
  },
  { act: "signature", ...terms("o1", "£10.00") },
  {
    act: "access",
    id: "c5",
    clientName: "Harbour Pay",
    permissions: ["ReadBalances"],
    data: ["Your balances"],
    until: "until you stop it",
    termsHash: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
  },
  {
    act: "funds confirmation",
    id: "c6",
    clientName: "Harbour Pay",
    account: "20-00-03 19825731",
    until: "until you stop it",
    termsHash: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
  },
  { act: "cancel order", id: "o2", noun: "payment", amount: "£1.00", payee: "Zoë", details: [] },
  { act: "cancel direct debit", id: "d1", originator: "Power Ltd", reference: "M1" },
  { act: "save payee", id: "p1", payee: { name: "Zoë", account: "20-00-03 19825731" } },
  { act: "trust payee", id: "p2", payee: { name: "Zoë", account: "20-00-03 19825731" } },
];
