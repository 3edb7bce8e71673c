import type { ConsentCourse } from "#src/consents/states.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** How often an order of a shape may use its consent. */
export type OrderUse = "once" | "within limits";

const stored: Readonly<Record<OrderUse, Sql>> = {
  once: sql`'once'`,
  "within limits": sql`'within limits'`,
};

/**
 * SQL: a use as orders store it. It is a literal and no parameter, so that a statement can use the
 * indexes of the orders with one use.
 */
export const storedUse = (use: OrderUse): Sql => stored[use];

/** SQL: whether an order has used its consent as the consents of this course are used. */
export const usedAs = ({ use }: Pick<ConsentCourse<OrderUse>, "use">, column: Sql): Sql =>
  sql`${column} = ${storedUse(use)}`;
