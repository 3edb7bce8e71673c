import { type PGlite, parse, protocol } from "@electric-sql/pglite";
import { present } from "#src/lib/assert.ts";
import type { Sql } from "./sql.ts";
import { toParameter } from "./values.ts";

const { serialize } = protocol;

// the engine's responses; the driver does not export their type
type Messages = Parameters<typeof parse.parseResults>[0];

type PreparedStatement = { name: string; parameterTypes: number[] };

// Each statement keeps its plan in the engine's memory, which never shrinks.
const manyStatements = 500;

/**
 * The prepared statements of the embedded database. Parsing and planning a statement takes far
 * longer than running it. Callers must make sure that no other transaction is open.
 */
export class PgliteStatements {
  readonly #engine: PGlite;
  /** By text; the least recently used statement first. */
  readonly #known = new Map<string, PreparedStatement>();
  #named = 0;

  constructor(engine: PGlite) {
    this.#engine = engine;
  }

  /** Runs a statement and returns its rows. */
  run<Row>({ text, values }: Sql): Promise<Row[]> {
    return this.#engine.runExclusive(async () => {
      const { name, parameterTypes } = await this.#prepare(text);
      const texts = values.map((value, index) => this.#encode(value, parameterTypes[index]));
      const messages = await this.#send(
        serialize.bind({ statement: name, values: texts }),
        serialize.describe({ type: "P" }),
        serialize.execute({}),
      );
      const [result] = parse.parseResults(messages, this.#engine.parsers);
      return present(result, "a result").rows as Row[]; // the caller knows what it selects
    });
  }

  /**
   * Forgets all statements, because the engine refuses a prepared statement whose result has
   * changed its columns.
   */
  async forget(): Promise<void> {
    this.#known.clear();
    await this.#engine.exec("deallocate all");
  }

  async #prepare(text: string): Promise<PreparedStatement> {
    const known = this.#known.get(text);
    if (known) {
      this.#known.delete(text);
      this.#known.set(text, known);
      return known;
    }
    if (this.#known.size >= manyStatements) await this.#dropOldest();
    this.#named += 1;
    const name = `s${this.#named}`;
    const messages = await this.#send(
      serialize.parse({ name, text }),
      serialize.describe({ type: "S", name }),
    );
    const statement = { name, parameterTypes: parse.parseDescribeStatementResults(messages) };
    this.#known.set(text, statement);
    return statement;
  }

  async #dropOldest(): Promise<void> {
    for (const [text, { name }] of this.#known) {
      this.#known.delete(text);
      await this.#send(serialize.close({ type: "S", name }));
      return;
    }
  }

  #encode(value: unknown, type: number | undefined): string | null {
    const parameter = toParameter(value);
    if (parameter === null) return null;
    const encode = type === undefined ? undefined : this.#engine.serializers[type];
    return encode ? encode(parameter) : String(parameter);
  }

  /** Sends messages together. After an error, the engine skips the rest. Throws its error. */
  #send(...messages: Uint8Array[]): Promise<Messages> {
    const bytes = Buffer.concat([...messages, serialize.sync()]);
    return this.#engine.execProtocolStream(bytes, { syncToFs: false });
  }
}
