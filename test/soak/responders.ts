import { attackWithResponders } from "#test/attacks/hostile-responders.ts";
import { type Part, sized } from "./part.ts";

const full = 20;
/** The longest that the event loop may work in one turn. */
const mostMs = 50;

/** The attack with hostile lists of revoked certificates and hostile OCSP responders. */
export const respondersPart: Part = {
  name: "responders",
  about: `${full} rounds of huge, nested, unsigned, endless and slow answers about certificates`,
  async run(options) {
    const rounds = sized(full, options);
    const { answers, calls, slowestMs, longLists, megabytes, findings } =
      await attackWithResponders({ rounds, say: options.say });
    const works = longLists.map(({ busiestMs }) => busiestMs);
    const [least, most] = [Math.min(...works), Math.max(...works)];
    // other work slows down the memory, but not each time
    if (least > mostMs) {
      findings.push(`the event loop worked for ${least} ms in one turn for each list of 32 MB`);
    }
    return {
      counts: {
        answers,
        "calls of a bystander": `${calls}, the slowest ${slowestMs} ms`,
        "lists of 32 MB": `${works.length}, ${least.toFixed(1)} to ${most.toFixed(1)} ms of work in one turn`,
        memory: megabytes
          ? `${megabytes.before} MB before, ${megabytes.after} MB after`
          : "unknown",
      },
      findings,
    };
  },
};
