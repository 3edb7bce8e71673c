import { killUnderEvents } from "#test/attacks/event-kills.ts";
import { type Part, sized } from "./part.ts";

const fullKills = 16;
const ways = ["callback URL", "polling"] as const;

/** The attack that kills processes and PostgreSQL while events are sent. */
export const eventsPart: Part = {
  name: "events",
  about: `${fullKills} kills of two bank processes and their PostgreSQL per way of receiving events`,
  async run(options) {
    const counts: Record<string, number> = {};
    const findings: string[] = [];
    for (const way of ways) {
      const report = await killUnderEvents({
        way,
        rounds: sized(fullKills, options),
        seed: options.seed,
      });
      findings.push(...report.findings.map((finding) => `${way}: ${finding}`));
      counts[`${way}: kills`] = report.kills;
      counts[`${way}: events`] = report.events;
      counts[`${way}: arrivals`] = report.received;
    }
    return { counts, findings };
  },
};
