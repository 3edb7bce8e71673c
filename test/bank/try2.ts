import { openPglite } from "#src/storage/pglite.ts";
import { migrate } from "#src/storage/migrate.ts";
import { households } from "#src/sandbox/personas/households.ts";
import { makeHistory } from "#src/sandbox/personas/history.ts";
import { storeHistory } from "#src/sandbox/personas/store-history.ts";
import { stableId } from "#src/sandbox/personas/stable-id.ts";
import { rmSync } from "node:fs";
rmSync("/tmp/tr/db", { recursive: true, force: true });
const db = await openPglite(process.argv[2] ? { folder: "/tmp/tr/db" } : {});
await migrate(db);
const h = households.find((x) => x.name === "harriet")!;
let t = performance.now();
const history = makeHistory(h, Temporal.PlainDate.from("2026-01-15"));
console.log("make", performance.now()-t, history.movements.length);
history.movements = history.movements.slice(0, Number(process.env.N ?? 20000));
const spent: Record<string, number> = {};
const ids = new Map(h.accounts.map((a) => [a.key, stableId("acc", a.key)]));
for (const id of ids.values()) {
 await db.query({ text: "insert into account (account_id, account_type, account_sub_type, currency, holder_name, opened_on, status_updated_at) values ($1,'a','b','GBP','x','2020-01-01',now())", values: [id] });
 await db.query({ text: "insert into ledger_account (account_id, kind, currency, overdraft_limit_minor) values ($1,'customer','GBP',2000000)", values: [id] });
}
for (const s of (process.argv[3] ?? "").split(";").filter(Boolean)) await db.execute(s);
t = performance.now();
const c0 = process.cpuUsage();
await db.transaction((tr) => storeHistory({ query: async (s: any) => { const t0 = performance.now(); const r = await tr.query(s); const k = s.text.slice(0, 40).trim(); spent[k] = (spent[k] ?? 0) + performance.now() - t0; return r as any; } }, "harriet", history, ids, () => {}));
const c = process.cpuUsage(c0);
console.log("store 20000", performance.now() - t, "cpu", c.user/1000, c.system/1000, spent);
console.log(process.memoryUsage().rss / 1e6);
await db.close();
