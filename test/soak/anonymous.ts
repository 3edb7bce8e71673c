import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPglite } from "#src/storage/pglite.ts";
import {
  callEveryRoute,
  countRows,
  fillTables,
  grownSince,
} from "#test/attacks/anonymous-attack.ts";
import { openWithRoutes } from "#test/attacks/collect-routes.ts";
import { type Part, sized } from "./part.ts";

const full = { rounds: 2, turns: 300 };

/** The attack on the disk by callers without credentials. */
export const anonymousPart: Part = {
  name: "anonymous",
  about: `${full.rounds} rounds of every route, and ${full.turns} of all that writes, anonymously`,
  async run(options) {
    const folder = mkdtempSync(join(tmpdir(), "aldgate-soak-"));
    const { bank, routes } = await openWithRoutes({}, await openPglite({ folder }));
    try {
      const tpp = await bank.createTpp();
      const before = await countRows(bank);
      const findings: string[] = [];
      let requests = 0;
      for (let round = sized(full.rounds, options); round > 0; round -= 1) {
        const { sent, findings: found } = await callEveryRoute(bank, routes, tpp.tpp.clientId);
        requests += sent;
        findings.push(...found);
        options.say(`${requests} requests`);
      }
      for (const [table, more] of await grownSince(bank, before)) {
        if (table !== "request_log_chunk") findings.push(`${table} has ${more} new rows`);
      }
      const turns = sized(full.turns, options);
      const { grown, findings: beyond } = await fillTables(bank, tpp, turns);
      const rows = [...grown].map(([table, more]) => `${table}: ${more}`).join(", ");
      return {
        counts: {
          "requests to every route": requests,
          "turns that write": turns,
          "new rows": rows,
        },
        findings: [...findings, ...beyond],
      };
    } finally {
      await bank.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
