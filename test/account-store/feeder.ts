// A process that feeds the log of a source until its end, or until it kills itself:
// `feeder.ts URL SOURCE LAST KILL`, where KILL is `statement:N` (after the Nth statement of its
// calls), `call:N` (after the Nth call), `ms:N` (so long after its first statement) or `never`. It
// prints a line of JSON for each call.
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { entriesOf } from "./source-log.ts";

const [url = "", source = "", last = "", kill = ""] = process.argv.slice(2);
const [moment, number] = kill.split(":");
const entriesPerCall = 4;
let left = Number(number);
let hasBegun = false;

const die = (): void => void process.kill(process.pid, "SIGKILL");

function reach(reached: string): void {
  if (moment === "ms" && !hasBegun) setTimeout(die, left);
  hasBegun = true;
  if (reached === moment && --left === 0) die();
}

const opened = await openPostgres(url, 1);
const database: Database = {
  ...opened,
  transaction: (work) =>
    opened.transaction((on) =>
      work({
        async query(statement) {
          const rows = await on.query<never>(statement);
          reach("statement");
          return rows;
        },
      }),
    ),
};
const feed = createAccountFeed(database);
for (;;) {
  const after = await feed.cursor(source);
  const from = after === null ? 0 : Number(after) + 1;
  if (from > Number(last)) break;
  const to = Math.min(from + entriesPerCall - 1, Number(last));
  const result = await feed
    .apply(entriesOf(source, from, to), { source, cursor: String(to), after })
    .then(
      () => "stored",
      (error: Error) => {
        if (error.name === "CursorMoved") return "moved";
        throw error;
      },
    );
  console.log(JSON.stringify({ from, to, result }));
  reach("call");
}
await database.close();
