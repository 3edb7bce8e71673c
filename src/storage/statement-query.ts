import pg from "pg";
import { toParameter } from "./values.ts";

/** The parts of the driver's query that this file builds on; the driver's types hide them. */
type DriverQuery = {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  name: string;
  values: readonly unknown[];
  _result: object;
  _accumulateRows: boolean;
  submit(connection: DriverConnection): Error | null;
  prepare(connection: DriverConnection): void;
  handleCommandComplete(message: unknown, connection: DriverConnection): void;
};

type DriverConnection = { _send(message: Uint8Array): unknown; sync(): void };

/** The columns of a statement's rows, as the driver keeps them in a result. */
type Columns = { fields: unknown; _parsers: unknown; _prebuiltEmptyResultObject: unknown };

/** The columns of the statements that one connection has executed, by the statement's name. */
export class KnownColumns extends Map<string, Columns> {
  #quiet: DriverConnection | null = null;

  /**
   * The connection in a form that does not ask for columns, and sends the messages of a statement
   * in one piece.
   */
  quiet(connection: DriverConnection): DriverConnection {
    this.#quiet ??= quieten(connection);
    return this.#quiet;
  }
}

function quieten(connection: DriverConnection): DriverConnection {
  let messages: Uint8Array[] = [];
  return Object.create(connection, {
    describe: { value: () => undefined },
    _send: { value: (message: Uint8Array) => void messages.push(message) },
    // it ends every statement
    sync: {
      value(this: DriverConnection) {
        connection.sync.call(this);
        const all = Buffer.concat(messages);
        messages = [];
        connection._send(all);
      },
    },
  }) as DriverConnection; // with these members replaced
}

// the driver copies an object with the statement and its values, but not a text
const DriversQuery = pg.Query as unknown as new (text: string) => DriverQuery;

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
    super(text);
    this.name = name;
    this.values = values.map(toParameter);
    this.callback = callback;
    this.#known = known;
  }

  override prepare(connection: DriverConnection): void {
    const columns = this.#known.get(this.name);
    if (columns) {
      Object.assign(this._result, columns);
      this._accumulateRows = true;
    }
    super.prepare(columns ? this.#known.quiet(connection) : connection);
  }

  override handleCommandComplete(message: unknown, connection: DriverConnection): void {
    if (!this.#known.has(this.name)) {
      const { fields, _parsers, _prebuiltEmptyResultObject } = this._result as Columns;
      this.#known.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    }
    super.handleCommandComplete(message, connection);
  }
}
