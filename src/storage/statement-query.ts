import pg from "pg";
import { toParameter } from "./values.ts";

/** The parts of the driver's query that this file builds on; the driver's types hide them. */
type DriverQuery = {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  name: string;
  values: readonly unknown[];
  _result: { fields: readonly { name: string }[]; _parsers?: Parsers; rows: object[] };
  _canceledDueToError: unknown;
  submit(connection: DriverConnection): Error | null;
  prepare(connection: DriverConnection): void;
  handleDataRow(message: DataRow): void;
  handleCommandComplete(message: unknown, connection: DriverConnection): void;
};

/** A row of the server: its columns as text. */
type DataRow = { fields: readonly (string | null)[] };

type DriverConnection = { _send(message: Uint8Array): unknown; sync(): void };

type Parsers = readonly ((text: string) => unknown)[];

/** The columns of a statement's rows. */
type Columns = { names: readonly string[]; parsers: Parsers };

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
  #columns: Columns | undefined;

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
    this.#columns = this.#known.get(this.name);
    super.prepare(this.#columns ? this.#known.quiet(connection) : connection);
  }

  // the driver would copy a row of nulls first
  override handleDataRow(message: DataRow): void {
    if (!this.#columns) {
      super.handleDataRow(message);
      return;
    }
    if (this._canceledDueToError) return;
    try {
      const { names, parsers } = this.#columns;
      const { fields } = message;
      const row: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index++) {
        const text = fields[index] ?? null;
        row[names[index] ?? ""] = text === null ? null : parsers[index]?.(text);
      }
      this._result.rows.push(row);
    } catch (error) {
      this._canceledDueToError = error;
    }
  }

  override handleCommandComplete(message: unknown, connection: DriverConnection): void {
    if (this.#columns) return; // it only counts the rows
    const { fields, _parsers: parsers = [] } = this._result;
    this.#known.set(this.name, { names: fields.map(({ name }) => name), parsers });
    super.handleCommandComplete(message, connection);
  }
}
