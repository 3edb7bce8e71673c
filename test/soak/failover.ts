import { failOver } from "#test/attacks/failover.ts";
import { type Part, sized } from "./part.ts";

const fullRounds = 12;

/** A primary and its standby under a load of orders. */
export const failoverPart: Part = {
  name: "failover",
  about: `${fullRounds} losses of primaries and banks, with a synchronous standby taking over`,
  async run(options) {
    const { kills, acknowledged, answers, findings } = await failOver({
      rounds: sized(fullRounds, options),
      seed: options.seed,
      onProgress: options.say,
    });
    return {
      counts: {
        ...Object.fromEntries(Object.entries(kills).map(([what, n]) => [`losses: ${what}`, n])),
        "acknowledged orders": acknowledged,
        answers: [...answers].map(([status, count]) => `${status}: ${count}`).join(", "),
      },
      findings,
    };
  },
};
