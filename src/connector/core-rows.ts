import Type, { type TSchema } from "typebox";
import { type AccountFeed, defaultSource } from "#src/account-store/account-feed.ts";
import type { RefusedFact } from "#src/account-store/check-facts.ts";
import { CursorMoved } from "#src/account-store/keep-place.ts";
import { WrongLine } from "#src/account-store/load-changes.ts";
import type { InterfaceRow } from "#src/http/interface-row.ts";
import { isObject } from "#src/lib/assert.ts";
import { capitalised } from "#src/lib/plain-text.ts";
import { changesSchema } from "./changes.ts";

/** Where the management listener has these operations. */
export const corePath = "/core/v1";

/** What a core may call at Aldgate. */
export type CoreFunctions = {
  feed: AccountFeed;
  /** The source whose changes Aldgate asks for itself; null if the core sends all of them. */
  pulledSource: string | null;
  /** Makes the engine ask about payments now. Returns how many wait for that. */
  nudge(paymentIds: readonly string[]): Promise<number>;
};

/** Changes that are not stored: with 400, the message names the wrong member of the body. */
class WrongChanges extends Error {
  readonly statusCode: 400 | 409;

  constructor(statusCode: 400 | 409, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

const text = Type.String();
const refused = Type.Object(
  { kind: text, key: text, path: text, rule: text },
  { title: "RefusedFact" },
);
const source = "The name of the source, if the core has several; core by default.";
const mostBytes = 16 * 1024 * 1024;
const nudgeBytes = 64 * 1024;

/** A row of the document and of the listener. */
type CoreRow = InterfaceRow<CoreFunctions> & { shown?: TSchema };

/** The operations that Aldgate offers a core. Each fact is judged alone. */
export const coreRows: readonly CoreRow[] = [
  {
    route: ["POST", "/changes"],
    operationId: "sendChanges",
    summary:
      "Stores account data that has changed. Facts that break a rule are refused and listed, and do " +
      "not stop the others. The answer comes when the others are stored. If the store is not at " +
      "position.after, nothing is stored, and the answer is 409. If Aldgate also reads the changes of " +
      "the source itself (readChanges), a position.cursor without position.after is 409 too.",
    query: { source },
    // a fact that breaks a rule must not refuse the others, so the feed checks the body
    shown: changesSchema,
    bodyLimit: mostBytes,
    response: {
      status: 200,
      schema: Type.Object(
        { stored: Type.Integer({ minimum: 0 }), refused: Type.Array(refused) },
        { title: "SendChangesResult" },
      ),
    },
    handle: (functions, body: unknown, params) => store(functions, body, params.source),
  },
  {
    route: ["GET", "/changes/cursor"],
    operationId: "readCursor",
    summary: "Returns the cursor that the source has sent last, with which it continues.",
    query: { source },
    response: {
      status: 200,
      schema: Type.Object(
        { cursor: Type.Union([text, Type.Null()]) },
        { title: "ReadCursorResult" },
      ),
    },
    handle: async ({ feed }, _body, params) => ({
      cursor: await feed.cursor(params.source).catch(refuseWrong),
    }),
  },
  {
    route: ["POST", "/payments/nudge"],
    operationId: "nudgePayments",
    summary:
      "Makes Aldgate ask about payments now, because their outcomes have changed. It is a hint: a " +
      "lost one only delays the question until the time that the core has given.",
    request: Type.Object({
      paymentIds: Type.Array(text, { minItems: 1, maxItems: 1000 }),
    }),
    bodyLimit: nudgeBytes,
    response: {
      status: 200,
      schema: Type.Object(
        { asked: Type.Integer({ minimum: 0 }) },
        { title: "NudgePaymentsResult" },
      ),
    },
    handle: async ({ nudge }, { paymentIds }: { paymentIds: string[] }) => ({
      asked: await nudge(paymentIds),
    }),
  },
];

async function store(
  { feed, pulledSource }: CoreFunctions,
  body: unknown,
  source: string = defaultSource,
): Promise<object> {
  const refusals: RefusedFact[] = [];
  try {
    if (source === pulledSource && movesBlindly(body)) {
      throw new WrongChanges(
        409,
        `Aldgate reads the changes of the source ${source} itself, so a call that moves its cursor ` +
          `must say from where. ${await held(feed, source)}`,
      );
    }
    const { stored } = await feed.load(one(JSON.stringify(body ?? null)), {
      source,
      onProgress: (_loaded, left) => refusals.push(...left),
    });
    return { stored, refused: refusals };
  } catch (error) {
    if (!(error instanceof CursorMoved)) return refuseWrong(error);
    throw new WrongChanges(409, `${capitalised(error.message)}. ${await held(feed, source)}`);
  }
}

/** Whether a page moves the cursor of its source, and does not say from which one. */
function movesBlindly(body: unknown): boolean {
  const { position } = isObject(body) ? body : {};
  if (!isObject(position)) return false;
  const { cursor, after } = position;
  return typeof cursor === "string" && cursor !== "" && after === undefined;
}

/** What the store holds, and how a call goes on from there. */
async function held(feed: AccountFeed, source: string): Promise<string> {
  const cursor = JSON.stringify(await feed.cursor(source));
  return (
    `The store holds the cursor ${cursor}: send position.after ${cursor} with the changes after it, ` +
    "or leave position out to move no cursor. Nothing was stored."
  );
}

/** Refuses what the feed says of a wrong source, cursor or change. Throws anything else again. */
function refuseWrong(error: unknown): never {
  if (error instanceof WrongLine || error instanceof TypeError) {
    throw new WrongChanges(400, error.message.replace(/^line 1: /, ""));
  }
  throw error;
}

async function* one(line: string): AsyncGenerator<string> {
  yield line;
}
