import { type Stop, sendLongStrings } from "#test/attacks/long-strings/attack.ts";
import { shapes } from "#test/attacks/long-strings/shapes.ts";
import { startPostgres } from "#test/postgres.ts";
import type { Part } from "./part.ts";

/** The longest that the event loop may work in one turn because of one request. */
const mostMs = 50;

/** Long strings in every place, while the event loop of the bank's process is measured. */
export const stringsPart: Part = {
  name: "strings",
  about: `${Object.keys(shapes).length} shapes of 64 kB strings in every member, header, field and file`,
  async run({ seed, size, say }) {
    const postgres = await startPostgres();
    try {
      const { sent, places, statuses, stops, unreached, findings } = await sendLongStrings({
        seed,
        share: size,
        recordsExpressions: false,
        // the embedded database would run in the process that is measured
        createDatabase: (name) => postgres.createDatabase(name),
        onProgress: (done, all) => say(`${done} of ${all} strings`),
      });
      // other work on the machine lengthens a stop, but not the work in it
      const long = stops.filter(({ busyMs }) => busyMs > mostMs);
      return {
        counts: {
          requests: sent,
          places,
          answers: [...statuses]
            .map(([status, times]) => `${status || "closed"}: ${times}`)
            .join(", "),
          "most work in one turn": stops[0] ? describe(stops[0]) : "none",
        },
        findings: [
          ...unreached,
          ...findings,
          ...long.map((stop) => `the event loop stopped: ${describe(stop)}`),
        ],
      };
    } finally {
      await postgres.stop();
    }
  },
};

const describe = ({ name, ms, busyMs }: Stop): string =>
  `${busyMs.toFixed(1)} ms of work, ${ms.toFixed(1)} ms on the clock: ${name}`;
