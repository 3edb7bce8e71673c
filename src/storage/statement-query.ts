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

/** Makes a row from the text of its columns. */
type MakeRow = (fields: DataRow["fields"]) => object;

/** The functions that make rows of the statements that one connection has executed, by name. */
export class KnownColumns extends Map<string, MakeRow> {
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

type MakeRowWith = (parsers: Parsers) => MakeRow;
const makers = new Map<string, MakeRowWith>();

/**
 * Compiles a function that makes rows. V8 creates the object of a literal in one step. Setting
 * members by names that differ from statement to statement takes about ten times as long. The names
 * come from the bank's own statements. All connections share the compiled code.
 */
function rowMaker(names: readonly string[], parsers: Parsers): MakeRow {
  const members = names.map((name, index) => {
    const text = `fields[${index}]`;
    return `${JSON.stringify(name)}: ${text} === null ? null : parsers[${index}](${text})`;
  });
  const code = `return (fields) => ({ ${members.join(", ")} });`;
  const make = makers.get(code) ?? (new Function("parsers", code) as MakeRowWith);
  makers.set(code, make);
  return make(parsers);
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
  #makeRow: MakeRow | undefined;

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

  // The connection has already executed a known statement, and the driver checked it then. All its
  // messages are sent in one write, so the socket need not be corked.
  override submit(connection: DriverConnection): Error | null {
    this.#makeRow = this.#known.get(this.name);
    if (!this.#makeRow) return super.submit(connection);
    this.prepare(this.#known.quiet(connection));
    return null;
  }

  // the driver would copy a row of nulls first
  override handleDataRow(message: DataRow): void {
    if (!this.#makeRow) {
      super.handleDataRow(message);
      return;
    }
    if (this._canceledDueToError) return;
    try {
      this._result.rows.push(this.#makeRow(message.fields));
    } catch (error) {
      this._canceledDueToError = error;
    }
  }

  override handleCommandComplete(message: unknown, connection: DriverConnection): void {
    if (this.#makeRow) return; // it only counts the rows
    const { fields, _parsers: parsers = [] } = this._result;
    const names = fields.map(({ name }) => name);
    this.#known.set(this.name, rowMaker(names, parsers));
    super.handleCommandComplete(message, connection);
  }
}
