// Writes docs/schema.sql: the schema that the migrations make, read from the catalog. Records new
// migrations in migrations/hashes.txt.
//
// Each object is listed under the migration that created it, and tables and functions by name.
// Usage: npm run schema.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "#src/storage/database.ts";
import { listMigrations, type Migration, migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { sql } from "#src/storage/sql.ts";
import { recordMigrations } from "./migrations.ts";
import { report } from "./source-files.ts";

/** The path of the page. */
export const page = "docs/schema.sql";

const head = `\
-- The schema as the migrations make it: to read, not to run. migrations/ has the comments.
-- "npm run schema" writes it; test/storage/schema.test.ts compares it with the migrations.`;

/** The heading of the table of applied migrations, which exists before the first migration. */
const runner = "the migration runner";

/** Objects whose definition the catalog gives as text. */
type Described = { id: string; name: string; text: string };

/** Applies the migrations to an empty database, and returns the resulting schema. */
export async function renderSchema(
  database: Database,
  migrations: readonly Migration[] = listMigrations(),
): Promise<string> {
  const madeBy = new Map<string, string>();
  const makers = [runner, ...migrations.map(({ name }) => name)];
  for (const [index, maker] of makers.entries()) {
    await migrate(database, { migrations: migrations.slice(0, index) });
    for (const id of await listIds(database)) if (!madeBy.has(id)) madeBy.set(id, maker);
  }
  await refuseOthers(database);
  const described = [
    ...(await describeDomains(database)),
    ...(await describeTables(database)),
    ...(await describeViews(database)),
    ...(await describeFunctions(database)),
  ];
  const sections = makers.flatMap((maker) => {
    const own = described.filter(({ id }) => madeBy.get(id) === maker);
    return own.length === 0 ? [] : [`-- ========== ${maker}`, ...own.map(({ text }) => text)];
  });
  return [head, ...sections].join("\n\n").concat("\n");
}

async function listIds(database: Database): Promise<string[]> {
  const rows = await database.query<{ id: string }>(sql`
    select 'relation ' || oid as id from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')
    union all
    select 'function ' || oid from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select 'type ' || oid from pg_type
    where typnamespace = 'public'::regnamespace and typtype = 'd'`);
  return rows.map(({ id }) => id);
}

/** Throws if the schema has an object of a kind that this script cannot describe. */
async function refuseOthers(database: Database): Promise<void> {
  const rows = await database.query<{ name: string }>(sql`
    select 'relation ' || relname as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind not in ('r', 'v', 'i')
      and not (relkind = 'S' and exists (
        select from pg_depend d where d.objid = c.oid and d.deptype = 'i'))
    union all
    select 'type ' || typname from pg_type
    where typnamespace = 'public'::regnamespace and typtype in ('e', 'r', 'm')
    union all
    select 'aggregate ' || proname from pg_proc
    where pronamespace = 'public'::regnamespace and prokind not in ('f', 'p')
    union all
    select 'policy ' || polname from pg_policy
    union all
    select 'schema ' || nspname from pg_namespace
    where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')`);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(", ");
  throw new Error(`scripts/schema.ts does not describe ${names}: extend it`);
}

const describeDomains = (database: Database): Promise<Described[]> =>
  database.query<Described>(sql`
    select 'type ' || y.oid as id, y.typname as name,
      'create domain ' || y.typname || ' as ' || format_type(y.typbasetype, y.typtypmod)
        || coalesce(' default ' || y.typdefault, '')
        || case when y.typnotnull then ' not null' else '' end
        || coalesce((select string_agg(chr(10) || '  constraint ' || c.conname || ' '
            || pg_get_constraintdef(c.oid, true), '' order by c.conname)
          from pg_constraint c where c.contypid = y.oid and c.contype = 'c'), '') || ';' as text
    from pg_type y where y.typnamespace = 'public'::regnamespace and y.typtype = 'd'
    order by y.typname`);

async function describeTables(database: Database): Promise<Described[]> {
  const rows = await database.query<{
    id: string;
    name: string;
    members: string[];
    options: string | null;
    others: string[];
  }>(sql`
    select 'relation ' || t.oid as id, t.relname as name,
      array(
        select a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          || case when a.attstorage <> y.typstorage
            then ' storage ' || case a.attstorage when 'p' then 'plain' when 'e' then 'external'
              when 'm' then 'main' else 'extended' end else '' end
          || case when a.attcompression <> ''
            then ' compression ' || a.attcompression::text else '' end
          || case a.attidentity when 'a' then ' generated always as identity'
            when 'd' then ' generated by default as identity' else '' end
          || case when a.attgenerated = 's' then ' generated always as ('
              || pg_get_expr(d.adbin, d.adrelid) || ') stored'
            when a.attgenerated = 'v' then ' generated always as ('
              || pg_get_expr(d.adbin, d.adrelid) || ') virtual'
            when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid)
            else '' end
          || case when a.attnotnull then ' not null' else '' end
        from pg_attribute a
        join pg_type y on y.oid = a.atttypid
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        order by a.attnum
      ) || array(
        select 'constraint ' || c.conname || ' ' || pg_get_constraintdef(c.oid, true)
        from pg_constraint c
        where c.conrelid = t.oid and c.contype in ('p', 'u', 'f', 'c', 'x')
        order by position(c.contype in 'puxfc'), c.conname
      ) as members,
      array_to_string(t.reloptions, ', ') as options,
      array(
        select pg_get_indexdef(i.indexrelid) || ';'
        from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = t.oid
          and not exists (select from pg_constraint o where o.conindid = i.indexrelid
            and o.contype in ('p', 'u', 'x'))
        order by c.relname
      ) || array(
        select pg_get_triggerdef(g.oid) || ';' from pg_trigger g
        where g.tgrelid = t.oid and not g.tgisinternal
        order by g.tgname
      ) || array(
        select 'comment on ' || case o.objsubid when 0 then 'table ' || t.relname
          else 'column ' || t.relname || '.' || a.attname end
          || ' is ' || quote_literal(o.description) || ';'
        from pg_description o
        left join pg_attribute a on a.attrelid = o.objoid and a.attnum = o.objsubid
        where o.objoid = t.oid and o.classoid = 'pg_class'::regclass
        order by o.objsubid
      ) as others
    from pg_class t
    where t.relnamespace = 'public'::regnamespace and t.relkind = 'r'
    order by t.relname`);
  return rows.map(({ id, name, members, options, others }) => {
    const lines = members.map((member) => `  ${member}`).join(",\n");
    const table = `create table ${name} (\n${lines}\n)${options ? ` with (${options})` : ""};`;
    return { id, name, text: [table, ...others].join("\n") };
  });
}

const describeViews = (database: Database): Promise<Described[]> =>
  database.query<Described>(sql`
    select 'relation ' || oid as id, relname as name,
      'create view ' || relname || ' as' || chr(10) || pg_get_viewdef(oid, true) as text
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'
    order by relname`);

const describeFunctions = (database: Database): Promise<Described[]> =>
  database.query<Described>(sql`
    select 'function ' || oid as id, proname as name,
      rtrim(pg_get_functiondef(oid), chr(10)) || ';' as text
    from pg_proc where pronamespace = 'public'::regnamespace
    order by proname, pg_get_function_identity_arguments(oid)`);

async function main(): Promise<void> {
  process.exitCode = report("migrations", listMigrations().length, recordMigrations());
  if (process.exitCode !== 0) return;
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const database = await openPglite({});
  writeFileSync(join(root, page), await renderSchema(database));
  await database.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
