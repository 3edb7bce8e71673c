import { killUnderLoad } from "#test/attacks/kills.ts";
import { type Part, sized } from "./part.ts";

const fullRounds = 24;

/** Processes and PostgreSQL killed under a load of orders. */
export const killsPart: Part = {
  name: "kills",
  about: `${fullRounds} kills of two bank processes and their PostgreSQL under a load of orders`,
  async run(options) {
    const { kills, acknowledged, answers, findings } = await killUnderLoad({
      rounds: sized(fullRounds, options),
      seed: options.seed,
      onProgress: options.say,
    });
    return {
      counts: {
        ...Object.fromEntries(Object.entries(kills).map(([what, n]) => [`kills of ${what}`, n])),
        "acknowledged orders": acknowledged,
        answers: [...answers].map(([status, count]) => `${status}: ${count}`).join(", "),
      },
      findings,
    };
  },
};
