// Compares two documents of the contract between Aldgate and a bank's core. Additions are fine: a
// core ignores members and refuses values that it does not know. Everything else breaks cores.

type Json = { readonly [keyword: string]: unknown };
type Side = "core reads" | "core writes";
type Compared = { old: Json; now: Json; at: string; side: Side };

/** Lists what a core that fulfils the old document would no longer fulfil, or no longer get. */
export function breakingChanges(old: object, now: object): string[] {
  return [...compareDocuments(old as Json, now as Json)];
}

const object = (value: unknown): Json => (value ?? {}) as Json;
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function* compareDocuments(old: Json, now: Json): Generator<string> {
  for (const [path, methods] of Object.entries(object(old.paths))) {
    // what is not at the core's address is Aldgate's own: there, the core sends the requests
    const { servers, ...operations } = object(methods);
    for (const [method, before] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      const after = object(object(now.paths)[path])[method];
      if (!after) yield `${name} is gone`;
      else {
        const pair = { before: object(before), after: object(after), name };
        yield* compareOperations(old, now, { ...pair, isOwn: servers !== undefined });
      }
    }
  }
}

type Operations = { before: Json; after: Json; name: string; isOwn: boolean };

function* compareOperations(
  old: Json,
  now: Json,
  { before, after, name, isOwn }: Operations,
): Generator<string> {
  const parametersOf = (document: Json, operation: Json) =>
    list(operation.parameters).map((one) => resolve(document, object(one)));
  const later = parametersOf(now, after);
  for (const parameter of parametersOf(old, before)) {
    const same = later.find((one) => one.name === parameter.name);
    if (!same) yield `${name}: the parameter ${parameter.name} is gone`;
    else if (parameter.required && !same.required) {
      yield `${name}: the parameter ${parameter.name} may now be absent`;
    }
  }
  const request = (operation: Json) => schemaIn(object(operation.requestBody));
  const answer = (operation: Json) => schemaIn(object(object(operation.responses)["200"]));
  const [requestSide, answerSide]: [Side, Side] = isOwn
    ? ["core writes", "core reads"]
    : ["core reads", "core writes"];
  const pairs: Compared[] = [
    { old: request(before), now: request(after), at: `${name} request`, side: requestSide },
    { old: answer(before), now: answer(after), at: `${name} answer`, side: answerSide },
  ];
  for (const pair of pairs) yield* compareSchemas({ old, now }, pair);
}

const schemaIn = (body: Json): Json =>
  object(object(object(body.content)["application/json"]).schema);

/** The schema behind a reference, or behind the `allOf` that gives a reference a description. */
function resolve(document: Json, schema: Json): Json {
  const [only] = list(schema.allOf);
  if (only) return resolve(document, object(only));
  if (typeof schema.$ref !== "string") return withAlternatives(schema);
  const steps = schema.$ref.replace("#/", "").split("/");
  return resolve(document, object(steps.reduce<unknown>((at, step) => object(at)[step], document)));
}

/** A list of types says the same as an alternative for each. */
function withAlternatives(schema: Json): Json {
  const { type, pattern, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const forText = pattern === undefined ? {} : { pattern };
  return {
    ...rest,
    anyOf: type.map((one) => ({ type: one, ...(one === "string" ? forText : {}) })),
  };
}

function* compareSchemas(documents: { old: Json; now: Json }, pair: Compared): Generator<string> {
  const { at, side } = pair;
  const old = resolve(documents.old, pair.old);
  const now = resolve(documents.now, pair.now);
  const [narrow, wide] = side === "core reads" ? [now, old] : [old, now];
  if (!isWithin(typesOf(narrow), typesOf(wide))) yield `${at} has another type`;
  yield* compareValues(old, now, at, side);
  yield* compareMembers(documents, { ...pair, old, now });
  if (old.items) {
    const items = { old: object(old.items), now: object(now.items), at: `${at}[]`, side };
    yield* compareSchemas(documents, items);
  }
  const choices = list(old.anyOf).map((one) => [keyOf(documents.old, object(one)), one] as const);
  const later = new Map(
    list(now.anyOf).map((one) => [keyOf(documents.now, object(one)), one] as const),
  );
  for (const [key, one] of choices) {
    const same = later.get(key) ?? (later.size === 0 ? now : undefined);
    if (same) {
      yield* compareSchemas(documents, { old: object(one), now: object(same), at, side });
    } else if (side === "core writes") yield `${at} may no longer be ${key}`;
  }
}

const typesOf = ({ type }: Json): unknown[] => (type === undefined ? [] : [type].flat());
const isWithin = (some: unknown[], all: unknown[]): boolean =>
  some.every((one) => all.includes(one)) && some.length > 0 === all.length > 0;

/** What tells an alternative from the others: its name, its first word, or its type. */
function keyOf(document: Json, schema: Json): string {
  if (typeof schema.$ref === "string") return schema.$ref;
  const { properties, type, enum: values } = resolve(document, schema);
  const words = Object.values(object(properties)).map((member) => list(object(member).enum));
  const [first] = words.filter((one) => one.length > 0);
  return String(first?.[0] ?? list(values)[0] ?? type);
}

function* compareValues(old: Json, now: Json, at: string, side: Side): Generator<string> {
  const [before, after] = [list(old.enum), list(now.enum)];
  const gone = before.filter((value) => !after.includes(value));
  if (side === "core writes" && after.length > 0) {
    if (before.length === 0) yield `${at} is now one of few values`;
    for (const value of gone) yield `${at} may no longer be ${value}`;
  }
  if (old.pattern !== now.pattern) yield `${at} has another pattern`;
  const direction = side === "core writes" ? 1 : -1;
  for (const [keyword, sign] of limits) {
    const widest = sign * Number.POSITIVE_INFINITY;
    const change = (Number(now[keyword] ?? widest) - Number(old[keyword] ?? widest)) * sign;
    if (change * direction < 0) yield `${at} has another ${keyword}`;
  }
}

const limits = [
  ["maxLength", 1],
  ["maximum", 1],
  ["maxItems", 1],
  ["minLength", -1],
  ["minimum", -1],
  ["minItems", -1],
] as const;

function* compareMembers(
  documents: { old: Json; now: Json },
  { old, now, at, side }: Compared,
): Generator<string> {
  const later = object(now.properties);
  for (const [name, member] of Object.entries(object(old.properties))) {
    const same = later[name];
    if (!same) yield `${at}.${name} is gone`;
    else {
      const pair = { old: object(member), now: object(same), at: `${at}.${name}`, side };
      yield* compareSchemas(documents, pair);
    }
  }
  const [before, after] = [list(old.required), list(now.required)];
  if (side === "core reads") {
    for (const name of before.filter((one) => !after.includes(one))) {
      yield `${at}.${name} may now be absent`;
    }
  } else {
    for (const name of after.filter((one) => !before.includes(one))) {
      yield `${at}.${name} is now required`;
    }
  }
  if (now.additionalProperties === false && old.additionalProperties !== false) {
    yield `${at} may have no further members now`;
  }
}
