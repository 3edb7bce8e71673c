import { testMoney } from "#test/attacks/money.ts";
import { type Part, sized } from "./part.ts";

const full = { pairs: 200, kills: 20, payments: 1000 };

/** The tests of money that need a second process or a bad moment. */
export const moneyPart: Part = {
  name: "money",
  about: `orders sent twice, ${full.kills} kills at the first 201, 40 payments at once, and sums`,
  async run(options) {
    const { counts, findings } = await testMoney({
      pairs: sized(full.pairs, options),
      kills: sized(full.kills, options),
      payments: sized(full.payments, options),
      history: options.history,
      onProgress: options.say,
    });
    return { counts, findings };
  },
};
