import { readFileSync } from "node:fs";

/** A row of docs/data.md: the answers about one table. */
type DataRow = { table: string; kept: string; erased: string };

/** The text of docs/data.md. */
export const dataPage = readFileSync(new URL("../../docs/data.md", import.meta.url), "utf8");

/** The rows of docs/data.md: `Table | Says | Why | Kept | Erased through the feed`. */
export const dataRows: readonly DataRow[] = [
  ...dataPage.matchAll(/^\| `(\w+)` \|[^|]*\|[^|]*\|([^|]*)\|([^|]*)\|$/gm),
].map(([, table = "", kept = "", erased = ""]) => ({
  table,
  kept: kept.trim(),
  erased: erased.trim(),
}));
