import pg from "pg";
import { toParameter } from "./values.ts";

/** The parts of the driver's query that this file builds on; the driver's types hide them. */
type DriverQuery = {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  name: string;
  _result: object;
  _accumulateRows: boolean;
  submit(connection: object): Error | null;
  prepare(connection: object): void;
  handleCommandComplete(message: unknown, connection: object): void;
};

/** The columns of a statement's rows, as the driver keeps them in a result. */
type Columns = { fields: unknown; _parsers: unknown; _prebuiltEmptyResultObject: unknown };

/** The columns of the statements that one connection has executed, by the statement's name. */
export class KnownColumns extends Map<string, Columns> {
  #quiet: object | null = null;

  /** The connection in a form that does not ask for columns. */
  quiet(connection: object): object {
    this.#quiet ??= Object.create(connection, { describe: { value: () => undefined } }) as object;
    return this.#quiet;
  }
}

const DriversQuery = pg.Query as unknown as new (config: pg.QueryConfig) => DriverQuery;

/**
 * A named statement. The driver asks the server at each execution which columns the rows have. They
 * stay the same as long as the connection lasts, because the server refuses to execute a prepared
 * statement whose columns have changed. So this asks once for each connection.
 */
export class StatementQuery extends DriversQuery {
  readonly #known: KnownColumns;

  constructor(
    { name, text, values }: { name: string; text: string; values: readonly unknown[] },
    known: KnownColumns,
    callback: DriverQuery["callback"],
  ) {
    super({ name, text, values: values.map(toParameter) });
    this.callback = callback;
    this.#known = known;
  }

  override prepare(connection: object): void {
    const columns = this.#known.get(this.name);
    if (columns) {
      Object.assign(this._result, columns);
      this._accumulateRows = true;
    }
    super.prepare(columns ? this.#known.quiet(connection) : connection);
  }

  override handleCommandComplete(message: unknown, connection: object): void {
    if (!this.#known.has(this.name)) {
      const { fields, _parsers, _prebuiltEmptyResultObject } = this._result as Columns;
      this.#known.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    }
    super.handleCommandComplete(message, connection);
  }
}
