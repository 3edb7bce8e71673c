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
  const before = operationsOf(old);
  for (const [name, { isOwn, operation }] of before) {
    const after = operationsOf(now).get(name)?.operation;
    if (after) {
      yield* compareOperations(old, now, { before: operation, after, name, isOwn });
      if (!isOwn) yield* compareDuties(old, { before: operation, after, name });
    } else yield `${name} is gone`;
  }
  for (const [name, { isOwn, operation }] of operationsOf(now)) {
    if (before.has(name) || isOwn) continue;
    const added = dutiesOf(operation);
    if (added !== "optional" && partsKnown(old, added)) yield `${name} is new, and not optional`;
  }
}

type Operation = { isOwn: boolean; operation: Json };

/** The operations by their methods and paths. */
function operationsOf(document: Json): Map<string, Operation> {
  const all = Object.entries(object(document.paths)).flatMap(([path, methods]) => {
    // what is not at the core's address is Aldgate's own: there, the core sends the requests
    const { servers, ...operations } = object(methods);
    return Object.entries(operations).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      { isOwn: servers !== undefined, operation: object(operation) },
    ]);
  });
  return new Map(all);
}

/** Which cores must have an operation: those with one of the parts, or every core. */
type Duties = "optional" | "every core" | unknown[];

const dutiesOf = (operation: Json): Duties => {
  if (operation["x-optional"] === true) return "optional";
  return operation["x-parts"] === undefined ? "every core" : partsOf(operation);
};

const partsOf = (operation: Json): unknown[] => list(operation["x-parts"]);

/** Whether a core that fulfils the old document can have one of the parts. */
const partsKnown = (old: Json, duties: Exclude<Duties, "optional">): boolean =>
  duties === "every core" || duties.some((part) => partsIn(old).has(part));

const partsIn = (document: Json): ReadonlySet<unknown> =>
  new Set([...operationsOf(document).values()].flatMap(({ operation }) => partsOf(operation)));

function* compareDuties(
  old: Json,
  { before, after, name }: { before: Json; after: Json; name: string },
): Generator<string> {
  const [earlier, later] = [dutiesOf(before), dutiesOf(after)];
  if (earlier === "every core" || later === "optional") return;
  const added =
    later === "every core" || earlier === "optional"
      ? later
      : later.filter((part) => !earlier.includes(part));
  if (partsKnown(old, added)) yield `${name}: more cores must have it now`;
}

type Operations = { before: Json; after: Json; name: string; isOwn: boolean };

function* compareOperations(
  old: Json,
  now: Json,
  { before, after, name, isOwn }: Operations,
): Generator<string> {
  const [requestSide, answerSide]: [Side, Side] = isOwn
    ? ["core writes", "core reads"]
    : ["core reads", "core writes"];
  yield* compareParameters({ old, now }, { before, after, name, side: requestSide });
  const request = (operation: Json) => schemaIn(object(operation.requestBody));
  yield* compareSchemas(
    { old, now },
    { old: request(before), now: request(after), at: `${name} request`, side: requestSide },
  );
  for (const [status, answer] of Object.entries(object(before.responses))) {
    const later = object(object(after.responses)[status]);
    yield* compareSchemas(
      { old, now },
      {
        old: schemaIn(resolve(old, object(answer))),
        now: schemaIn(resolve(now, later)),
        at: `${name} answer ${status}`,
        side: answerSide,
      },
    );
  }
}

function* compareParameters(
  documents: { old: Json; now: Json },
  { before, after, name, side }: { before: Json; after: Json; name: string; side: Side },
): Generator<string> {
  const parametersOf = (document: Json, operation: Json) =>
    list(operation.parameters).map((one) => resolve(document, object(one)));
  const [earlier, later] = [
    parametersOf(documents.old, before),
    parametersOf(documents.now, after),
  ];
  for (const parameter of earlier) {
    const at = `${name}: the parameter ${parameter.name}`;
    const same = later.find((one) => one.name === parameter.name);
    if (!same) yield `${at} is gone`;
    else if (side === "core reads" && parameter.required && !same.required) {
      yield `${at} may now be absent`;
    } else if (side === "core writes" && same.required && !parameter.required) {
      yield `${at} is now required`;
    } else if (JSON.stringify(parameter.schema) !== JSON.stringify(same.schema)) {
      // a core that knows one version of the contract answers 400 to another
      yield `${at} has other values`;
    }
  }
  const names = earlier.map((one) => one.name);
  const added = later.filter((one) => !names.includes(one.name) && one.required);
  if (side === "core writes") {
    for (const parameter of added) yield `${name}: the parameter ${parameter.name} is now required`;
  }
}

/** The schema of a body, which has one content type. */
const schemaIn = (body: Json): Json => {
  const [content] = Object.values(object(body.content));
  return object(object(content).schema);
};

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
  if (old.format !== now.format) yield `${at} has another format`;
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
