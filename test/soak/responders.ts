import { attackWithResponders } from "#test/attacks/hostile-responders.ts";
import { type Part, sized } from "./part.ts";

const full = 20;

/** The attack with hostile lists of revoked certificates and hostile OCSP responders. */
export const respondersPart: Part = {
  name: "responders",
  about: `${full} rounds of huge, nested, unsigned, endless and slow answers about certificates`,
  async run(options) {
    const rounds = sized(full, options);
    const { answers, calls, slowestMs, megabytes, findings } = await attackWithResponders({
      rounds,
    });
    return {
      counts: {
        answers,
        "calls of a bystander": `${calls}, the slowest ${slowestMs} ms`,
        memory: megabytes
          ? `${megabytes.before} MB before, ${megabytes.after} MB after`
          : "unknown",
      },
      findings,
    };
  },
};
