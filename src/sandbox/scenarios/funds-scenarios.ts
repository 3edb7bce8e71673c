/** A card issuer's question that always gets the same answer, for tests. */
export type FundsScenario = {
  name: string;
  description: string;
  amount: { Amount: string; Currency: string };
  /** What is done to the account first. It is reopened afterwards. */
  act?: "block" | "close";
  /** `FundsAvailable`, or the code of a refusal. */
  answer: boolean | "U023";
};

const small = { Amount: "1.00", Currency: "GBP" };

/** The scenarios, for a current account in pounds. */
export const fundsScenarios: readonly FundsScenario[] = [
  {
    name: "Enough money",
    description: "The balance and the overdraft, less what is held, cover the amount.",
    amount: small,
    answer: true,
  },
  {
    name: "Not enough money",
    description: "No customer of the sandbox has that much.",
    amount: { Amount: "9999999.00", Currency: "GBP" },
    answer: false,
  },
  {
    name: "Blocked account",
    description: "The account has money, but its bank has blocked it.",
    amount: small,
    act: "block",
    answer: false,
  },
  {
    name: "Closed account",
    description: "The consent stays `AUTH`, and no amount is available.",
    amount: small,
    act: "close",
    answer: false,
  },
  {
    name: "Another currency",
    description: "The question is refused with 400. The bank does not convert amounts.",
    amount: { Amount: "1.00", Currency: "EUR" },
    answer: "U023",
  },
];
