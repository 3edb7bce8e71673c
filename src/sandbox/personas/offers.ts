import type { OfferFacts } from "#src/standard/shared/accounts/facts.ts";
import type { AmountFacts } from "#src/standard/shared/amount.ts";

/**
 * An offer to the customer of an account. It runs for `months` months, starting with the month of
 * the seeding.
 */
type PersonaOffer = {
  household: string;
  /** The key of the account in its household. */
  account: string;
  months: number;
  details: Omit<OfferFacts, "endsAt" | "startsAt">;
};

const sterling = (pounds: number): AmountFacts => ({
  amountMinor: String(pounds * 100),
  currency: "GBP",
});

const balanceTransfer = (household: string, account: string, months: number): PersonaOffer => ({
  household,
  account,
  months: 3,
  details: {
    type: "BalanceTransfer",
    description: `0% on balances moved from another card within three months, for ${months} months`,
    rate: "0.00",
    value: months,
    term: `${months} months from the transfer, then the card's rate for purchases`,
    url: "https://aldgate.example/offers/balance-transfer",
    fee: sterling(25),
  },
});

const promotionalRate = (
  household: string,
  account: string,
  rate: string,
  what: string,
): PersonaOffer => ({
  household,
  account,
  months: 4,
  details: {
    type: "PromotionalRate",
    description: `${rate}% a year on ${what} for six months`,
    rate,
    value: 6,
    term: "Six months from the day on which you accept",
    url: "https://aldgate.example/offers/rates",
  },
});

const limitIncrease = (
  household: string,
  account: string,
  amount: string,
  what: string,
): PersonaOffer => ({
  household,
  account,
  months: 6,
  details: {
    type: "LimitIncrease",
    description: `Your ${what} can be raised to £${amount} without further checks`,
    amount: sterling(Number(amount)),
    url: "https://aldgate.example/offers/limits",
  },
});

const other = (household: string, account: string, description: string): PersonaOffer => ({
  household,
  account,
  months: 5,
  details: { type: "Other", description, url: "https://aldgate.example/offers" },
});

/** The bank's offers to each household. */
export const personaOffers: readonly PersonaOffer[] = [
  limitIncrease("amara", "current", "1000.00", "arranged overdraft"),
  promotionalRate("amara", "savings", "4.75", "savings"),
  balanceTransfer("amara", "card", 18),
  promotionalRate("amara", "card", "9.90", "purchases"),
  limitIncrease("whitfield", "joint", "1500.00", "arranged overdraft"),
  promotionalRate("whitfield", "joint-savings", "4.80", "savings"),
  other("whitfield", "ben", "Cycle insurance at half price for the first year"),
  {
    household: "whitfield",
    account: "chloe-card",
    months: 3,
    details: {
      type: "MoneyTransfer",
      description: "Up to £2000.00 from your card into your current account at 0% for 12 months",
      rate: "0.00",
      value: 12,
      term: "12 months from the transfer, then the card's rate for purchases",
      amount: sterling(2000),
      fee: sterling(40),
    },
  },
  other("business", "main", "Invoice finance: up to 85% of an invoice on the day you send it"),
  limitIncrease("business", "dev-card", "15000.00", "credit limit"),
  other("finn", "current", "An interest-free plan to repay your overdraft over 12 months"),
  promotionalRate("finn", "savings", "5.00", "up to £200 saved a month"),
  limitIncrease("grace", "current", "2500.00", "arranged overdraft"),
  promotionalRate("grace", "travel-card", "12.90", "purchases abroad"),
  balanceTransfer("grace", "home-card", 24),
  other("harriet", "shop", "A new card terminal with no rental for the first six months"),
  promotionalRate("harriet", "reserve", "3.90", "savings"),
  other("iris", "euros", "Payments in euros without our fee until the offer ends"),
];
