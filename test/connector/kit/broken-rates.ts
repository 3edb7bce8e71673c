// Cores that round in another way than Aldgate at a promised rate.
import Big from "big.js";
import { currencyExponent } from "#src/lib/money.ts";
import type { BrokenCore } from "./broken-core.ts";

/** A core that rounds the debit of a payment in another currency in this way. */
const rounding =
  (mode: 0 | 1): BrokenCore["make"] =>
  ({ bank }) => ({
    async price(payment) {
      const price = await bank.price(payment);
      const { rate } = payment.international;
      const { amount } = payment;
      if (!price || rate === null || amount.currency === price.debit.currency) return price;
      const { currency } = price.debit;
      const places = currencyExponent(currency) - currencyExponent(amount.currency);
      const debit = new Big(amount.amountMinor.toString()).times(new Big(10).pow(places)).div(rate);
      return { ...price, debit: { amountMinor: BigInt(debit.round(0, mode).toFixed()), currency } };
    },
  });

const groups = ["K11-11", "K11-18", "K11-19"];

/** The cores. */
export const rateCores: readonly BrokenCore[] = [
  {
    name: "rounds a debit at a promised rate down",
    caughtBy: "K11-18",
    also: ["K11-19"],
    groups,
    make: rounding(0),
  },
  {
    name: "rounds half a penny at a promised rate up",
    caughtBy: "K11-19",
    groups,
    make: rounding(1),
  },
];
