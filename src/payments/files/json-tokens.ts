import { Tokenizer, TokenType } from "@streamparser/json";
import { textOf } from "#src/lib/plain-text.ts";
import { atLine, UnreadableFile } from "#src/payments/formats/file-format.ts";

/** The events of parsing a JSON file. */
type JsonEvents = {
  /** A member of an object above the items begins; `path` has the names down to it. */
  member(path: readonly string[]): void;
  /** An item is complete: an element of an array at the requested depth. */
  item(path: readonly string[], index: number, value: Record<string, unknown>, line: number): void;
};

type Frame = { value: Record<string, unknown> | unknown[]; name: string | null };

const maximumDepth = 16;
const longestItemBytes = 65_536;

/**
 * Parses JSON text whose items are in arrays `itemDepth` levels down (2 for
 * `{"Data":{"Payments":[…]}}`), and keeps one item in memory at a time. Throws UnreadableFile for
 * text that is not UTF-8 JSON, has a different structure or a repeated member, or an item that is
 * too deep or too long.
 */
export class JsonItems {
  readonly #events: JsonEvents;
  readonly #itemDepth: number;
  readonly #tokenizer = new Tokenizer();
  // names of the open objects above the items, and whether the array of items is open
  readonly #path: string[] = [];
  readonly #names: Set<string>[] = [];
  #inItems = false;
  #index = 0;
  // open objects and arrays of the current item
  readonly #open: Frame[] = [];
  #expects: "value" | "name" | "nameOrEnd" | "valueOrEnd" | "colon" | "commaOrEnd" | "nothing";
  #chunk: Uint8Array = new Uint8Array();
  #chunkStart = 0;
  #lineCountedTo = 0;
  #line = 1;
  #itemStart = 0;
  #itemLine = 1;
  #lastToken = 0;

  constructor(events: JsonEvents, itemDepth: number) {
    this.#events = events;
    this.#itemDepth = itemDepth;
    this.#expects = "value";
    this.#tokenizer.onToken = ({ token, value, offset }) => this.#take(token, value, offset);
    // thrown unchanged: `write` adds the line
    this.#tokenizer.onError = (error) => {
      throw error;
    };
  }

  write(bytes: Uint8Array): void {
    this.#chunk = bytes;
    this.#guarded(() => this.#tokenizer.write(bytes));
    this.#chunkStart += bytes.length;
    this.#countLines(this.#chunkStart, this.#chunkStart - bytes.length);
    const since = this.#chunkStart - (this.#open.length > 0 ? this.#itemStart : this.#lastToken);
    if (since > longestItemBytes) {
      throw this.#unreadable(`contains a payment or value of more than ${longestItemBytes} bytes`);
    }
  }

  end(): void {
    this.#guarded(() => {
      if (!this.#tokenizer.isEnded) this.#tokenizer.end();
    });
    if (this.#expects !== "nothing") throw this.#unreadable("ends before it is complete");
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof UnreadableFile) throw error;
      throw this.#unreadable("is not valid JSON in UTF-8");
    }
  }

  #unreadable(what: string): UnreadableFile {
    this.#countLines(this.#lastToken, this.#chunkStart);
    return new UnreadableFile(this.#where(), atLine(this.#line, `The file ${what}.`));
  }

  #where(): string {
    const item = this.#inItems ? `[${this.#index}]` : "";
    return this.#path.join(".") + item || "$";
  }

  /** Counts the line ends before `offset`, which is in the chunk that began at `chunkStart`. */
  #countLines(offset: number, chunkStart: number): void {
    const bytes = this.#chunk;
    let at = bytes.indexOf(10, this.#lineCountedTo - chunkStart);
    while (at >= 0 && at + chunkStart < offset) {
      this.#line += 1;
      at = bytes.indexOf(10, at + 1);
    }
    this.#lineCountedTo = Math.max(offset, this.#lineCountedTo);
  }

  #take(token: TokenType, value: unknown, offset: number): void {
    this.#lastToken = offset;
    if (this.#expects === "nothing") throw this.#unreadable("continues after its end");
    if (this.#open.length > 0) this.#takeInItem(token, value);
    else if (this.#inItems) this.#takeAmongItems(token, offset);
    else this.#takeAbove(token, value);
  }

  /** Reads the objects above the items, which contain only names. */
  #takeAbove(token: TokenType, value: unknown): void {
    const depth = this.#path.length;
    if (this.#expects === "value") {
      if (depth === this.#itemDepth && token === TokenType.LEFT_BRACKET) {
        this.#inItems = true;
        this.#index = 0;
        this.#expects = "valueOrEnd";
      } else if (depth < this.#itemDepth && token === TokenType.LEFT_BRACE) {
        this.#names.push(new Set());
        this.#expects = "nameOrEnd";
      } else {
        throw this.#unreadable(`must have an ${depth < this.#itemDepth ? "object" : "array"} here`);
      }
    } else if (this.#expects === "colon" && token === TokenType.COLON) {
      this.#expects = "value";
    } else if (this.#expects === "commaOrEnd" && token === TokenType.COMMA) {
      this.#expects = "name";
    } else if (token === TokenType.STRING && this.#expects.startsWith("name")) {
      this.#takeName(this.#names.at(-1) ?? new Set(), textOf(value));
      this.#path.push(textOf(value));
      this.#events.member(this.#path);
    } else if (token === TokenType.RIGHT_BRACE && this.#expects.endsWith("OrEnd")) {
      this.#names.pop();
      this.#path.pop();
      this.#expects = this.#names.length === 0 ? "nothing" : "commaOrEnd";
    } else {
      throw this.#unreadable("is not valid JSON in UTF-8");
    }
  }

  #takeAmongItems(token: TokenType, offset: number): void {
    if (token === TokenType.LEFT_BRACE && this.#expects.startsWith("value")) {
      this.#countLines(offset, this.#chunkStart);
      this.#itemStart = offset;
      this.#itemLine = this.#line;
      this.#open.push({ value: {}, name: null });
      this.#expects = "nameOrEnd";
    } else if (token === TokenType.COMMA && this.#expects === "commaOrEnd") {
      this.#index += 1;
      this.#expects = "value";
    } else if (token === TokenType.RIGHT_BRACKET && this.#expects.endsWith("OrEnd")) {
      this.#inItems = false;
      this.#path.pop();
      this.#expects = "commaOrEnd";
    } else {
      throw this.#unreadable("must have an object here");
    }
  }

  #takeInItem(token: TokenType, value: unknown): void {
    const expects = this.#expects;
    if (expects.startsWith("value") && opens(token)) this.#openInItem(token);
    else if (expects.startsWith("value") && isScalar(token)) this.#put(value);
    else if (expects === "colon" && token === TokenType.COLON) this.#expects = "value";
    else if (expects === "commaOrEnd" && token === TokenType.COMMA) {
      this.#expects = Array.isArray(this.#open.at(-1)?.value) ? "value" : "name";
    } else if (expects.startsWith("name") && token === TokenType.STRING) {
      const frame = this.#open.at(-1) as Frame; // the caller has seen that one is open
      if (Object.hasOwn(frame.value, textOf(value))) throw this.#twice(textOf(value));
      frame.name = textOf(value);
      this.#expects = "colon";
    } else if (expects.endsWith("OrEnd") && this.#closes(token)) this.#closeInItem();
    else throw this.#unreadable("is not valid JSON in UTF-8");
  }

  #takeName(names: Set<string>, name: string): void {
    if (names.has(name)) throw this.#twice(name);
    names.add(name);
    this.#expects = "colon";
  }

  #twice(name: string): UnreadableFile {
    return this.#unreadable(
      `has the member ${JSON.stringify(name.slice(0, 60))} twice in one object`,
    );
  }

  #openInItem(token: TokenType): void {
    if (this.#open.length >= maximumDepth) throw this.#unreadable("is nested too deeply");
    const isObject = token === TokenType.LEFT_BRACE;
    this.#open.push({ value: isObject ? {} : [], name: null });
    this.#expects = isObject ? "nameOrEnd" : "valueOrEnd";
  }

  #closes(token: TokenType): boolean {
    const isArray = Array.isArray(this.#open.at(-1)?.value);
    return token === (isArray ? TokenType.RIGHT_BRACKET : TokenType.RIGHT_BRACE);
  }

  #closeInItem(): void {
    const { value } = this.#open.pop() as Frame; // the caller has seen that one is open
    if (this.#open.length > 0) {
      this.#put(value);
      return;
    }
    this.#expects = "commaOrEnd";
    // the outermost frame of an item is an object
    const item = value as Record<string, unknown>;
    this.#events.item(this.#path, this.#index, item, this.#itemLine);
  }

  #put(value: unknown): void {
    const frame = this.#open.at(-1) as Frame; // the caller has seen that one is open
    if (Array.isArray(frame.value)) frame.value.push(value);
    // not by assignment, because `__proto__` may be a name
    else {
      const name = frame.name ?? "";
      Object.defineProperty(frame.value, name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    this.#expects = "commaOrEnd";
  }
}

const opens = (token: TokenType): boolean =>
  token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET;

const scalars: readonly TokenType[] = [
  TokenType.STRING,
  TokenType.NUMBER,
  TokenType.TRUE,
  TokenType.FALSE,
  TokenType.NULL,
];
const isScalar = (token: TokenType): boolean => scalars.includes(token);
