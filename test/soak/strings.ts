import { sendLongStrings } from "#test/attacks/long-strings/attack.ts";
import { shapes } from "#test/attacks/long-strings/shapes.ts";
import { startPostgres } from "#test/postgres.ts";
import type { Part } from "./part.ts";

/** The longest stop that one request may cause on a machine without other work. */
const mostMs = 50;

/** Long strings in every place, while the event loop of the bank's process is measured. */
export const stringsPart: Part = {
  name: "strings",
  about: `${Object.keys(shapes).length} shapes of 64 kB strings in every member, header and field`,
  async run({ seed, size, say }) {
    const postgres = await startPostgres();
    try {
      const { sent, places, statuses, stops, findings } = await sendLongStrings({
        seed,
        share: size,
        recordsExpressions: false,
        // the embedded database would run in the process that is measured
        settings: { DATABASE_URL: await postgres.createDatabase("strings") },
        onProgress: (done, all) => say(`${done} of ${all} strings`),
      });
      const long = stops.filter(({ ms }) => ms > mostMs);
      return {
        counts: {
          requests: sent,
          places,
          answers: [...statuses]
            .map(([status, times]) => `${status || "closed"}: ${times}`)
            .join(", "),
          "longest stop": `${(stops[0]?.ms ?? 0).toFixed(1)} ms`,
        },
        findings: [
          ...findings,
          ...long.map(({ name, ms }) => `the event loop stopped for ${ms.toFixed(0)} ms: ${name}`),
        ],
      };
    } finally {
      await postgres.stop();
    }
  },
};
