import { killUnderEvents } from "#test/attacks/event-kills.ts";
import { type Part, sized } from "./part.ts";

const fullKills = 16;

/** The attack that kills processes and PostgreSQL while events are sent. */
export const eventsPart: Part = {
  name: "events",
  about: `${fullKills} kills of two bank processes and their PostgreSQL while events are sent`,
  async run(options) {
    const { findings, ...counts } = await killUnderEvents({
      rounds: sized(fullKills, options),
      seed: options.seed,
    });
    return { counts, findings };
  },
};
