import { killUnderEvents } from "#test/attacks/event-kills.ts";
import { type Part, sized } from "./part.ts";

const fullKills = 32;

/** The attack that kills processes and PostgreSQL while events are sent. */
export const eventsPart: Part = {
  name: "events",
  about: `${fullKills} kills of two bank processes and their PostgreSQL while TPPs receive events`,
  async run(options) {
    const rounds = sized(fullKills, options);
    const report = await killUnderEvents({
      rounds,
      seed: options.seed,
      history: options.history,
    });
    const counts: Record<string, number> = { kills: report.kills };
    const findings = [...report.findings];
    for (const [way, delivery] of Object.entries(report.ways)) {
      findings.push(...delivery.findings.map((finding) => `${way}: ${finding}`));
      counts[`${way}: events`] = delivery.events;
      counts[`${way}: arrivals`] = delivery.received;
    }
    return { counts, findings };
  },
};
