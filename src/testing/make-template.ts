// Fills a database for tests, in a thread of its own.
import { workerData } from "node:worker_threads";
import { newestInCopies, seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { archive } from "#src/storage/archived-files.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import type { TemplateWork } from "./template.ts";

const { file, day }: TemplateWork = workerData;
const now = Temporal.PlainDate.from(day).toZonedDateTime("UTC").toInstant();
const database = await openPglite({});
await migrate(database);
await seedPersonas(database, { now, newest: newestInCopies });
await archive(database.engine, file);
await database.close();
