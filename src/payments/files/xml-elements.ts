import sax from "sax";
import { atLine, UnreadableFile } from "#src/payments/formats/file-format.ts";

/** An element that a format allows inside another, in the required order. */
export type ElementRule = {
  name: string;
  need: "one" | "maybe" | "some" | "any";
  /** Its child elements; absent for an element with text. */
  children?: readonly ElementRule[];
  /** Whether it may contain anything, which is ignored. */
  opaque?: boolean;
  /** Whether the values of this element are recorded and reported when it ends. */
  record?: boolean;
};

/** The texts of an element with `record`, by the names down to them: `Amt/InstdAmt`. */
export type ElementRecord = {
  /** The first text at a path, or undefined. */
  text(path: string): string | undefined;
  /** Every text at a path. */
  texts(path: string): readonly string[];
  /** The place of the element: `Document/CstmrCdtTrfInitn/PmtInf[2]`. */
  path: string;
  /** The line on which it begins, from 1. */
  line: number;
  /**
   * Every text and attribute by its place, such as `RmtInf/Strd[2]/CdtrRefInf/Ref`. Empty unless
   * the parser keeps everything.
   */
  all(): Readonly<Record<string, string>>;
};

/** The events of parsing an XML file. */
type ElementEvents = {
  begins(name: string, record: ElementRecord): void;
  ends(name: string, record: ElementRecord): void;
};

// only XML's five predefined entities; its types do not know the option
const parserOptions: sax.SAXOptions & { strictEntities: true } = {
  position: true,
  strictEntities: true,
};

const maximumDepth = 32;
const maximumAttributes = 16;
const longestText = 4096;
// what is kept of one recorded element: its texts are stored with each payment
const longestRecord = 32_768;
const allowedAttributes = new Set(["Ccy"]);

/**
 * Makes a rule from a word: `MsgId`, `CtrlSum?`, `Authstn*`, `PmtInf+`; without children it is
 * text.
 */
export const rule = (
  word: string,
  children?: readonly ElementRule[] | "opaque",
  record = false,
): ElementRule => {
  const mark = word.at(-1) ?? "";
  const need = ({ "?": "maybe", "*": "any", "+": "some" } as const)[mark];
  return {
    name: need ? word.slice(0, -1) : word,
    need: need ?? "one",
    ...(children === "opaque" ? { opaque: true } : children ? { children } : {}),
    ...(record ? { record } : {}),
  };
};

/** A compiled rule: its children by name, with their positions. */
type Ready = {
  rule: ElementRule;
  children: Map<string, { ready: Ready; place: number }>;
};

const makeReady = (given: ElementRule): Ready => ({
  rule: given,
  children: new Map(
    (given.children ?? []).map((child, place) => [child.name, { ready: makeReady(child), place }]),
  ),
});

class Recording implements ElementRecord {
  readonly #texts = new Map<string, string[]>();
  readonly #all = new Map<string, string>();
  #length = 0;
  readonly path: string;
  readonly line: number;

  constructor(path: string, line: number) {
    this.path = path;
    this.line = line;
  }

  put(path: string, text: string): void {
    const known = this.#texts.get(path);
    if (known) known.push(text);
    else this.#texts.set(path, [text]);
  }

  text(path: string): string | undefined {
    return this.#texts.get(path)?.[0];
  }

  texts(path: string): readonly string[] {
    return this.#texts.get(path) ?? [];
  }

  /** Keeps a text by its place. Returns false if that is too much. */
  keep(place: string, text: string): boolean {
    this.#all.set(place, text);
    this.#length += place.length + text.length;
    return this.#length <= longestRecord;
  }

  all(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#all);
  }
}

type Frame = {
  ready: Ready | null;
  name: string;
  /** The last step of its path: `PmtInf[2]`. */
  step: string;
  /** The path below the recorded element; empty for that element. */
  below: string;
  /** The same with positions, as in `Strd[2]`. */
  at: string;
  record: Recording | null;
  text: string;
  place: number;
  seen: Map<string, number>;
};

/**
 * Parses XML text by rules, and keeps only one recorded element and its ancestors in memory. Throws
 * UnreadableFile for text that is not well-formed or breaks the rules, for another namespace, a
 * document type, an entity or a processing instruction, and for elements that are too deep or too
 * long. It never resolves an entity. Source: P-207.
 */
export class XmlElements {
  readonly #root: Ready;
  readonly #namespace: string;
  readonly #events: ElementEvents;
  readonly #keepsAll: boolean;
  readonly #parser = sax.parser(true, parserOptions);
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #open: Frame[] = [];
  #attributes = 0;
  #prefix = "";
  #begun = false;
  #ended = false;

  constructor(
    root: ElementRule,
    { namespace, keepsAll }: { namespace: string; keepsAll: boolean },
    events: ElementEvents,
  ) {
    this.#root = makeReady(root);
    this.#namespace = namespace;
    this.#keepsAll = keepsAll;
    this.#events = events;
    const parser = this.#parser;
    parser.onerror = (error) => {
      throw this.#unreadable(`is not well-formed: ${error.message.split("\n")[0]}`);
    };
    parser.ondoctype = () => this.#refuse("has a document type");
    parser.onsgmldeclaration = () => this.#refuse("has a declaration");
    parser.onprocessinginstruction = ({ name, body }) => this.#declaration(name, body);
    parser.onopentagstart = () => {
      this.#attributes = 0;
    };
    parser.onattribute = () => {
      this.#attributes += 1;
      if (this.#attributes > maximumAttributes)
        this.#refuse(`has an element with more than ${maximumAttributes} attributes`);
    };
    parser.onopentag = ({ name, attributes }) =>
      this.#begin(name, attributes as Record<string, string>); // namespaces are not processed
    parser.onclosetag = () => this.#end();
    parser.ontext = (text) => this.#text(text);
    parser.oncdata = (text) => this.#text(text);
  }

  write(bytes: Uint8Array): void {
    let text: string;
    try {
      text = this.#decoder.decode(bytes, { stream: true });
    } catch {
      throw this.#unreadable("is not in UTF-8");
    }
    this.#parser.write(text);
  }

  end(): void {
    try {
      this.#parser.write(this.#decoder.decode());
    } catch (error) {
      if (error instanceof UnreadableFile) throw error;
      throw this.#unreadable("is not in UTF-8");
    }
    this.#parser.close();
    if (!this.#ended) throw this.#unreadable("ends before it is complete");
  }

  #refuse(what: string): never {
    throw this.#unreadable(what);
  }

  #unreadable(what: string): UnreadableFile {
    const path = this.#open.map(({ step }) => step).join("/") || "/";
    return new UnreadableFile(path, atLine(this.#parser.line + 1, `The file ${what}.`));
  }

  #declaration(name: string, body: string): void {
    if (name !== "xml" || this.#begun) this.#refuse("has a processing instruction");
    this.#begun = true;
    const encoding = /encoding\s*=\s*["']([^"']*)["']/.exec(body)?.[1] ?? "UTF-8";
    if (!/^(utf-8|us-ascii)$/i.test(encoding)) this.#refuse("must be in UTF-8");
  }

  #begin(tag: string, attributes: Record<string, string>): void {
    this.#begun = true;
    if (this.#open.length >= maximumDepth) this.#refuse("is nested too deeply");
    const above = this.#open.at(-1);
    if (!above) this.#enter(tag, attributes);
    const name = this.#localName(tag);
    if (above && !above.ready) {
      this.#beginOpaque(above, name, attributes);
      return;
    }
    const { ready, place } = above ? this.#find(above, name) : { ready: this.#root, place: 0 };
    if (!above && name !== ready.rule.name) {
      this.#refuse(`must begin with ${ready.rule.name}, not ${name.slice(0, 60)}`);
    }
    const count = (above?.seen.get(name) ?? 0) + 1;
    if (above) {
      above.place = place;
      above.seen.set(name, count);
    }
    const frame: Frame = {
      ready: ready.rule.opaque ? null : ready,
      name,
      step: isMany(ready.rule) ? `${name}[${count}]` : name,
      below: above?.record ? under(above.below, name) : "",
      at: "",
      record: above?.record ?? null,
      text: "",
      place: 0,
      seen: new Map(),
    };
    if (above?.record) frame.at = under(above.at, frame.step);
    this.#open.push(frame);
    if (ready.rule.record) this.#startRecord(frame);
    if (frame.ready) this.#takeAttributes(frame, attributes);
    else this.#keepAttributes(frame, attributes);
  }

  /** An element that the bank ignores. Its texts are kept if the bank's core reads them. */
  #beginOpaque(above: Frame, name: string, attributes: Record<string, string>): void {
    const frame = { ...opaqueFrame, name, step: name, record: above.record };
    if (this.#keepsAll) {
      const count = (above.seen.get(name) ?? 0) + 1;
      above.seen.set(name, count);
      frame.seen = new Map();
      frame.at = under(above.at, count === 1 ? name : `${name}[${count}]`);
    }
    this.#open.push(frame);
    this.#keepAttributes(frame, attributes);
  }

  #keepAttributes(frame: Frame, attributes: Record<string, string>): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (!isOfXml(name)) this.#keep(frame, `${frame.at}/@${name}`, value);
    }
  }

  #keep({ name, record }: Frame, place: string, text: string): void {
    if (!this.#keepsAll || !record || text === "" || record.keep(place, text)) return;
    this.#refuse(`says more than ${longestRecord} characters about one payment, in ${name}`);
  }

  #startRecord(frame: Frame): void {
    const path = this.#open.map(({ step }) => step).join("/");
    frame.record = new Recording(path, this.#parser.line + 1);
    frame.below = "";
    frame.at = "";
    this.#events.begins(frame.name, frame.record);
  }

  /** The root element names the namespace of the whole file. */
  #enter(tag: string, attributes: Record<string, string>): void {
    if (this.#ended) this.#refuse("continues after its end");
    const [prefix, local] = tag.includes(":") ? tag.split(":", 2) : ["", tag];
    this.#prefix = local === undefined || prefix === "" ? "" : `${prefix}:`;
    const named = attributes[prefix === "" ? "xmlns" : `xmlns:${prefix}`];
    if (named !== this.#namespace) this.#refuse(`must use the namespace ${this.#namespace}`);
  }

  #localName(tag: string): string {
    if (this.#prefix !== "" && tag.startsWith(this.#prefix)) return tag.slice(this.#prefix.length);
    return tag;
  }

  #find(above: Frame, name: string): { ready: Ready; place: number } {
    const found = above.ready?.children.get(name);
    if (!found) this.#refuse(`has an element that is not allowed there: ${name.slice(0, 60)}`);
    if (found.place < above.place) this.#refuse(`has the element ${name} out of order`);
    if (above.seen.has(name) && !isMany(found.ready.rule))
      this.#refuse(`has the element ${name} twice`);
    return found;
  }

  #takeAttributes(frame: Frame, attributes: Record<string, string>): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (allowedAttributes.has(name)) {
        frame.record?.put(`${frame.below}/@${name}`, value);
        this.#keep(frame, `${frame.at}/@${name}`, value);
      } else if (!isOfXml(name)) {
        this.#refuse(`has an attribute that is not allowed there: ${name.slice(0, 60)}`);
      } else if (name === "xmlns" && value !== this.#namespace && this.#prefix === "") {
        this.#refuse("changes its namespace after the root element");
      }
    }
  }

  #text(text: string): void {
    const frame = this.#open.at(-1);
    if (!frame) return;
    if (!frame.ready) {
      if (!this.#keepsAll || !frame.record) return;
      frame.text += text;
      if (frame.text.length > longestRecord) this.#keep(frame, frame.at, frame.text);
      return;
    }
    if (frame.ready.rule.children) {
      if (text.trim() !== "") this.#refuse(`has text in ${frame.name}`);
      return;
    }
    frame.text += text;
    if (frame.text.length > longestText) {
      this.#refuse(`has more than ${longestText} characters in ${frame.name}`);
    }
  }

  #end(): void {
    const frame = this.#open.at(-1);
    if (frame?.ready) {
      const { rule: given, children } = frame.ready;
      if (given.children) {
        for (const [name, { ready }] of children) {
          const { need } = ready.rule;
          if ((need === "one" || need === "some") && !frame.seen.has(name)) {
            this.#refuse(`lacks ${name} in ${frame.name}`);
          }
        }
      } else {
        frame.record?.put(frame.below, frame.text.trim());
        this.#keep(frame, frame.at, frame.text.trim());
      }
      if (given.record && frame.record) this.#events.ends(frame.name, frame.record);
    } else if (frame) this.#keep(frame, frame.at, frame.text.trim());
    this.#open.pop();
    if (this.#open.length === 0) this.#ended = true;
  }
}

const under = (path: string, step: string): string => (path === "" ? step : `${path}/${step}`);

const isOfXml = (attribute: string): boolean => /^(xmlns(:.*)?|xsi:.*)$/.test(attribute);

const isMany = ({ need }: ElementRule): boolean => need === "some" || need === "any";

const opaqueFrame: Frame = {
  ready: null,
  name: "",
  step: "",
  below: "",
  at: "",
  record: null,
  text: "",
  place: 0,
  seen: new Map(),
};
