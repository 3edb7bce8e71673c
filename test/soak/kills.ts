import { failOver } from "#test/attacks/failover.ts";
import { type KillOptions, type KillReport, killUnderLoad } from "#test/attacks/kills.ts";
import { type Part, sized } from "./part.ts";

const fullKills = 24;
const fullLosses = 12;

/** The attack that kills processes and PostgreSQL under a load of orders. */
export const killsPart: Part = {
  name: "kills",
  about: `${fullKills} kills of two bank processes and their PostgreSQL under a load of orders`,
  run: (options) => report(killUnderLoad, fullKills, options),
};

/** The attack that loses primaries and banks under a load of orders. */
export const failoverPart: Part = {
  name: "failover",
  about: `${fullLosses} losses of the primary or a bank, with a standby that takes over`,
  run: (options) => report(failOver, fullLosses, options),
};

async function report(
  attack: (options: KillOptions) => Promise<KillReport>,
  rounds: number,
  options: Parameters<Part["run"]>[0],
): ReturnType<Part["run"]> {
  const { kills, acknowledged, answers, findings } = await attack({
    rounds: sized(rounds, options),
    seed: options.seed,
    history: options.history,
    onProgress: options.say,
  });
  const lost = Object.entries(kills).map(([what, times]) => `${what}: ${times}`);
  return {
    counts: {
      losses: lost.join(", "),
      "acknowledged orders": acknowledged,
      answers: [...answers].map(([status, times]) => `${status}: ${times}`).join(", "),
    },
    findings,
  };
}
