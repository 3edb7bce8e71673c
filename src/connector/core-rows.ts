import Type, { type TSchema } from "typebox";
import type { AccountFeed } from "#src/account-store/account-feed.ts";
import type { RefusedFact } from "#src/account-store/check-facts.ts";
import { CursorMoved } from "#src/account-store/keep-place.ts";
import { WrongLine } from "#src/account-store/load-changes.ts";
import type { InterfaceRow } from "#src/http/interface-row.ts";
import { changesSchema } from "./changes.ts";

/** Where the management listener has these operations. */
export const corePath = "/core/v1";

/** What a core may call at Aldgate. */
export type CoreFunctions = {
  feed: AccountFeed;
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
      "not stop the others. The answer comes when the others are stored.",
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
    handle: ({ feed }, body: unknown, params) => store(feed, body, params.source),
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

async function store(feed: AccountFeed, body: unknown, from: string | undefined): Promise<object> {
  const refusals: RefusedFact[] = [];
  try {
    const { stored } = await feed.load(one(JSON.stringify(body ?? null)), {
      ...(from === undefined ? {} : { source: from }),
      onProgress: (_loaded, left) => refusals.push(...left),
    });
    return { stored, refused: refusals };
  } catch (error) {
    return refuseWrong(error);
  }
}

/** Refuses what the feed says of a wrong source, cursor or change. Throws anything else again. */
function refuseWrong(error: unknown): never {
  if (error instanceof WrongLine || error instanceof TypeError) {
    throw new WrongChanges(400, error.message.replace(/^line 1: /, ""));
  }
  if (error instanceof CursorMoved) throw new WrongChanges(409, error.message);
  throw error;
}

async function* one(line: string): AsyncGenerator<string> {
  yield line;
}
