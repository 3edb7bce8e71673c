import { openPglite } from "#src/storage/pglite.ts";
import { migrate } from "#src/storage/migrate.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { verifyInvariants } from "#src/payments/verify.ts";
const db = await openPglite({});
await migrate(db);
let last=""; let t = performance.now();
await seedPersonas(db, { now: Temporal.Instant.from(process.argv[2] ?? "2026-01-15T10:00:00Z"), onProgress: (x) => { if (x!==last) { console.log(x, Math.round(performance.now()-t)); t=performance.now(); last=x; } } });
console.log("end", Math.round(performance.now()-t), process.memoryUsage().rss/1e6);
for (let i=0;i<2;i++){ const t0 = performance.now();
console.log(await verifyInvariants(db), performance.now()-t0);}
console.table((await db.query<any>({text:"select a.nickname, l.*, (select count(*)::int from account_transaction t where t.account_id=a.account_id) n, (select min(booked_at)::text from account_transaction t where t.account_id=a.account_id) mn from account a join ledger_account l using (account_id) where a.nickname !~ 'xx' order by l.account_id",values:[]})).map((r: any)=>({n:r.nickname,b:Number(r.balance_minor)/100,h:Number(r.held_minor),lim:Number(r.overdraft_limit_minor),n2:r.n,mn:r.mn})));
await db.close();
