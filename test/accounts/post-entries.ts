import { openPostgres } from "#src/storage/postgres.ts";
import { addEntries } from "./add-entries.ts";

// A process that keeps posting to an account and sends a message after each entry. It posts at the
// newest end, between old entries, and at a time that has an entry already.
const [url = "", accountId = ""] = process.argv.slice(2);
const database = await openPostgres(url, 1);
let isOver = false;
process.on("disconnect", () => {
  isOver = true;
});
for (let posted = 0; !isOver; posted++) {
  const days = [0, posted % 90, posted % 90][posted % 3] ?? 0;
  const at = Temporal.Instant.from("2026-11-20T10:00:00Z")
    .subtract({ hours: 24 * days })
    .add({ seconds: posted % 3 === 2 ? 0 : posted + 1 });
  await addEntries(database, accountId, [{ at: at.toString() }]);
  // the parent process may have ended
  if (process.connected) process.send?.(posted, () => undefined);
}
await database.close();
