import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Returns for each table its number of rows and its newest transaction: they show every write. */
export const writesTo = (on: Queryable): Promise<{ name: string; state: string }[]> =>
  on.query(sql`
    select relname as name, (xpath('/row/s/text()', query_to_xml(
      format('select concat(count(*), '' '', max(xmin::text::bigint)) as s from %I', relname),
      false, true, '')))[1]::text as state
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    order by relname`);
