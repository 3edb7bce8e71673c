// Changes of a feed as lines of JSON: the first fill of the store, and what a service in any
// language can send. A line has the members of `AccountChanges`, and where the source continues
// after it.

import { isObject } from "#src/lib/assert.ts";
import { machineTimers, type Timers } from "#src/lib/clock.ts";
import {
  createFactReader,
  isFactKind,
  isoInstant,
  type RefusedFact,
  wholeNumberOf,
} from "./check-facts.ts";
import { factKinds } from "./fact-rules.ts";
import type { AccountChanges, FeedPosition } from "./feed.ts";
import { anyOther, type OwnedRefusal, withOwners, withPage } from "./forget-refusals.ts";
import { noSuchMember, objectsOf, type Refuse, removalsOf } from "./judge-changes.ts";

/** What was loaded so far. */
export type Loaded = {
  lines: number;
  /** Stored facts, removals and deliveries. */
  stored: number;
  refused: number;
  /** Where the source continues after what is stored; null if no line has said it. */
  cursor: string | null;
};

/** A line that is no change. What the calls before it brought is stored. */
export class WrongLine extends Error {
  /** From 1. */
  readonly line: number;

  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`);
    this.line = line;
  }
}

/** Stores a call, and lists the facts that were refused with those refused before. */
export type StoreCall = (
  changes: AccountChanges,
  position: FeedPosition,
  refusedBefore: readonly OwnedRefusal[],
) => Promise<{ refused: readonly RefusedFact[] }>;

/** How changes are loaded. `source` is `core` by default. */
export type LoadOptions = {
  source?: string;
  /** The cursor after which the first line was read, as in `FeedPosition`. */
  after?: string | null;
  /** Called after each call, and for each call with the facts that it refused. */
  onProgress?(loaded: Loaded, refused: readonly RefusedFact[]): void;
};

/** The facts of one call: larger calls gain nothing, and a smaller one repeats less. */
const factsPerCall = 500;

/** How long a call waits for further lines, because those of a pipe may be far apart. */
const callMs = 1000;

/**
 * Loads changes from lines of JSON, in calls of some hundred facts, or with what has arrived in
 * about a second. Facts that break a rule are listed as those of every feed are. Throws WrongLine
 * if a line is not a change, and passes on errors of the database. Earlier calls stay stored, and
 * it is safe to load everything again.
 */
export async function loadChanges(
  store: StoreCall,
  lines: AsyncIterable<string>,
  { source, after, onProgress }: LoadOptions = {},
  timers: Timers = machineTimers,
): Promise<Loaded> {
  const readLine = createLineReader();
  const loaded: Loaded = { lines: 0, stored: 0, refused: 0, cursor: null };
  let call = newCall();
  if (after !== undefined) call.position.after = after;
  const send = async (): Promise<void> => {
    const { refused } = await store(
      call.changes,
      { ...call.position, ...(source === undefined ? {} : { source }) },
      call.refused,
    );
    loaded.stored += call.count - refused.filter(({ kind }) => kind !== "position").length;
    loaded.refused += refused.length;
    loaded.cursor = call.position.cursor ?? loaded.cursor;
    call = newCall();
    deadline.end();
    onProgress?.(loaded, refused);
  };
  const deadline = createDeadline(timers);
  const iterator = lines[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const read = await deadline.before(next);
      if (read === "late") {
        await send();
        continue;
      }
      if (read.done) break;
      loaded.lines += 1;
      if (read.value.trim() !== "") {
        readLine(read.value, loaded.lines, call);
        call.lines += 1;
        if (call.count >= factsPerCall) await send();
        else deadline.begin();
      }
      next = iterator.next();
    }
  } catch (error) {
    // not awaited: a pipe may never give the line that was asked for
    Promise.try(() => iterator.return?.()).catch(() => undefined);
    throw error;
  } finally {
    deadline.end();
  }
  if (hasContent(call)) await send();
  return loaded;
}

/** Makes the deadline of a call that is being filled. */
function createDeadline(timers: Timers) {
  let late: Promise<"late"> | null = null;
  let cancel = (): void => undefined;
  return {
    /** Begins, if it has not begun yet. */
    begin(): void {
      late ??= new Promise((resolve) => {
        cancel = timers.after(callMs, () => resolve("late"));
      });
    },
    /** Waits for the next line, but only until the deadline, if one has begun. */
    before: <T>(next: Promise<T>): Promise<T | "late"> =>
      late ? Promise.race([late, next]) : next,
    end(): void {
      cancel();
      late = null;
    },
  };
}

/** A call that is being filled. */
type Call = {
  changes: Record<string, unknown> & AccountChanges;
  position: FeedPosition;
  refused: OwnedRefusal[];
  /** Facts, removals and deliveries, refused ones included. */
  count: number;
  /** A line without changes also says that the source was heard. */
  lines: number;
};

const newCall = (): Call => ({ changes: {}, position: {}, refused: [], count: 0, lines: 0 });

const hasContent = ({ lines, position }: Call): boolean =>
  lines > 0 || Object.keys(position).length > 0;

type Json = Record<string, unknown>;

/** Makes the reader of lines, which adds one line to a call. */
function createLineReader(): (line: string, number: number, call: Call) => void {
  const readFact = createFactReader();
  return (line, number, call) => {
    const wrong = (reason: string) => new WrongLine(number, reason);
    const change = parse(line, wrong);
    const { cursor } = call.position;
    const refuse: Refuse = (refusal, about) => {
      const refused = withOwners(refusal, about);
      if (refused.kind !== "position") call.count += 1;
      // without a cursor of the lines before, the place is that of the call
      call.refused.push(...(cursor === undefined ? [refused] : withPage([refused], cursor)));
    };
    for (const [member, value] of Object.entries(change)) {
      if (isFactKind(member)) {
        for (const one of objectsOf(value, member, refuse)) {
          const read = readFact(member, one);
          if ("refused" in read) refuse(read.refused, one);
          else add(call, member, read.fact);
        }
      } else if (member === "removed") addRemovals(call, value, refuse);
      else if (member === "delivered") addDeliveries(call, value, refuse);
      else if (member === "position") {
        move(call.position, readPosition(value, wrong, refuse), wrong);
      } else refuse(noSuchMember(member, changeMembers));
    }
  };
}

/** The members that a line, or a page of changes, can have. */
export const changeMembers = [...factKinds, "removed", "delivered", "position"];

type Wrong = (reason: string) => WrongLine;

function parse(line: string, wrong: Wrong): Json {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // the same words for text that is no JSON
  }
  throw wrong('must be one JSON object, such as {"balances": [ … ]}');
}

function add(call: Call, member: string, one: object): void {
  call.count += 1;
  const known = call.changes[member] as object[] | undefined;
  if (known) known.push(one);
  else call.changes[member] = [one];
}

/** Adds removals and deliveries with values that are read. They are judged when they are stored. */
function addRemovals(call: Call, value: unknown, refuse: Refuse): void {
  for (const [kind, removals] of removalsOf(value, refuse)) {
    const { removed } = call.changes as { removed?: Record<string, object[]> };
    const read = removals.map((one) => {
      const { version } = one as { version?: unknown };
      return { ...one, version: wholeNumberOf(version) ?? version };
    });
    call.count += read.length;
    const all = { ...removed, [kind]: [...(removed?.[kind] ?? []), ...read] };
    call.changes.removed = all as NonNullable<AccountChanges["removed"]>;
  }
}

function addDeliveries(call: Call, value: unknown, refuse: Refuse): void {
  for (const one of objectsOf(value, "delivered", refuse)) {
    const { accountId, cluster, asOf } = one as Json;
    add(call, "delivered", { accountId, cluster, asOf: isoInstant(asOf) ?? asOf });
  }
}

/** Reads a position. Without a cursor that can be read, nothing may be stored. */
function readPosition(value: unknown, wrong: Wrong, refuse: Refuse): FeedPosition {
  if (value === null) return {};
  if (!isObject(value)) throw wrong("position must be an object");
  const { cursor, after, deliveredUpTo, ...unknown } = value;
  for (const name of Object.keys(unknown)) {
    const fault = noSuchMember(name, ["cursor", "after", "deliveredUpTo"]);
    refuse({ ...fault, kind: "position", key: anyOther });
  }
  if (after !== undefined && after !== null && typeof after !== "string") {
    throw wrong("position.after must be a text or null");
  }
  if (cursor !== undefined && cursor !== null && typeof cursor !== "string") {
    throw wrong("position.cursor must be a text");
  }
  if (cursor === "") {
    const rule = "must be a text of 1 to 1,000 characters";
    refuse({ kind: "position", key: "cursor", path: "/cursor", rule });
  }
  const time = isoInstant(deliveredUpTo);
  if (time === null && deliveredUpTo !== undefined && deliveredUpTo !== null) {
    const rule = "must be a date-time with an offset, such as 2026-11-24T09:00:00Z";
    refuse({ kind: "position", key: "deliveredUpTo", path: "/deliveredUpTo", rule });
  }
  return {
    ...(cursor ? { cursor } : {}),
    ...(after === undefined ? {} : { after }),
    ...(time === null ? {} : { deliveredUpTo: time }),
  };
}

/**
 * Moves the position of a call that takes several lines by that of a line. The line must have been
 * read where the call is: after the line before it, or after the cursor that the caller has named.
 */
function move(position: FeedPosition, { after, ...line }: FeedPosition, wrong: Wrong): void {
  const place = position.cursor ?? position.after;
  if (after !== undefined && place !== undefined && after !== place) {
    throw wrong(
      position.cursor === undefined
        ? "position.after must be the cursor after which the load begins"
        : "position.after must be the cursor of the line before",
    );
  }
  if (after !== undefined && place === undefined) position.after = after;
  Object.assign(position, line);
}
