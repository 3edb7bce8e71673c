import { upgradeUnderLoad } from "#test/attacks/upgrade.ts";
import { type Part, sized } from "./part.ts";

const fullOrders = 400;

/** The attack that upgrades a bank under a load of orders. */
export const upgradePart: Part = {
  name: "upgrade",
  about: "an upgrade from the last release under a load of orders, both versions side by side",
  async run(options) {
    const { from, skipped, applied, acknowledged, replayed, answers, findings } =
      await upgradeUnderLoad({
        ordersPerStage: sized(fullOrders, options),
        history: options.history,
        onProgress: options.say,
      });
    return {
      counts: {
        from: from ?? "",
        "applied migrations": applied,
        "acknowledged orders": acknowledged,
        "replayed calls": replayed,
        answers: [...answers].map(([status, times]) => `${status}: ${times}`).join(", "),
      },
      findings,
      ...(skipped === null ? {} : { skipped }),
    };
  },
};
