import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import Format from "typebox/format";
import type { Fault } from "#src/http/api-error.ts";
import { wrongTexts } from "#src/http/hostile-text.ts";
import { parseDateTime } from "#src/lib/date-time.ts";
import { plainTextRule } from "#src/lib/plain-text.ts";
import type { PropertyWords } from "#src/standard/descriptions/property-words.ts";
import { limitArrays } from "#src/standard/shared/schema.ts";
import type { JsonSchema } from "./field-words.ts";
import { findFaults, mostFaults } from "./find-faults.ts";

// The standard's date-times are wider than RFC 3339: no zone, no seconds, a date alone.
// Source: A-083; Read/Write profile, Date Formats.
Format.Set("date-time", (text) => parseDateTime(text) !== null);

// The published files declare `date-time`: a date, a time with seconds, and an offset. Source:
// decision 0002.
const publishedDateTime = {
  pattern: "^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)$",
};

/** Decides whether a text has only allowed characters. */
type Characters = Pick<RegExp, "test">;

/** A schema that is compiled when the first value is checked. */
export type CompiledSchema = {
  readonly schema: TSchema;
  readonly check: (value: unknown) => boolean;
  /** Every string must match it; null allows any text. */
  readonly characters: Characters | null;
  /** What the bank wants in some fields, for the messages about them. */
  readonly words: PropertyWords;
};

/** The most members of an array for which the standard publishes no limit. */
const mostItems = 100;

type SchemaOptions = {
  characters?: Characters;
  mostItems?: number;
  strictDates?: boolean;
  words?: PropertyWords;
};

/**
 * Returns a schema of requests that is compiled at its first use, so that a start compiles none.
 * `characters` must match every string as a whole: it limits the characters to those that payment
 * systems carry. An array without `maxItems` gets the bank's own limit, because the work for a
 * request must have a limit. With `strictDates`, date-times must have the published form: any other
 * form of ISO 8601 is refused. `words` say what the bank wants in some fields, where it knows more
 * than the schema: which codes it accepts, or where an id comes from.
 */
export function compileSchema(
  given: TSchema | (() => TSchema),
  options: SchemaOptions = {},
): CompiledSchema {
  const make = typeof given === "function" ? given : () => given;
  let made: { schema: TSchema; validator: Validator } | undefined;
  const compiled = (): { schema: TSchema; validator: Validator } => {
    if (!made) {
      const limited = limitArrays(make(), options.mostItems ?? mostItems);
      const schema = options.strictDates ? withPublishedDates(limited) : limited;
      made = { schema, validator: Compile(schema) };
    }
    return made;
  };
  return {
    get schema() {
      return compiled().schema;
    },
    check: (value) => compiled().validator.Check(value),
    characters: options.characters ?? null,
    words: options.words ?? {},
  };
}

// a schema is JSON, and no member of a body is called `format`
const withPublishedDates = (schema: TSchema): TSchema =>
  JSON.parse(JSON.stringify(schema), (_name, value) =>
    value?.format === "date-time" ? { ...value, ...publishedDateTime } : value,
  ) as TSchema;

/**
 * Checks a parsed body. Returns one fault per faulty field, and none if the body is valid: U004 for
 * a missing field, U005 for an extra field, U003 for an invalid date-time, U002 for everything
 * else, including null. Messages say what to do and never repeat the value. Source: P-060…P-072,
 * A-064…A-081. `more` makes words for this value alone, such as what its consent allows.
 */
export function judge(
  compiled: CompiledSchema,
  value: unknown,
  more?: () => PropertyWords,
): Fault[] {
  const faults: Fault[] = [];
  if (!compiled.check(value)) {
    // typebox schemas are JSON schemas
    const words = { ...compiled.words, ...more?.() };
    faults.push(...findFaults(compiled.schema as JsonSchema, value, words));
    if (faults.length === 0)
      faults.push({ code: "U010", message: "The body does not match its schema." });
  }
  const { characters } = compiled;
  if (characters && !consistsOf(characters, value)) findCharacters(characters, value, faults);
  return faults;
}

function findCharacters(allowed: Characters, value: unknown, faults: Fault[]): void {
  const known = new Set(faults.map(({ path }) => path));
  for (const path of wrongTexts(value, (text) => allowed.test(text), { names: false })) {
    if (faults.length >= mostFaults) return;
    if (known.has(path)) continue;
    faults.push({ code: "U002", path, message: `This field must ${plainTextRule}.` });
  }
}

function consistsOf(allowed: Characters, value: unknown): boolean {
  if (typeof value === "string") return allowed.test(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((member) => consistsOf(allowed, member));
  for (const name in value) {
    if (!consistsOf(allowed, (value as Record<string, unknown>)[name])) return false;
  }
  return true;
}
