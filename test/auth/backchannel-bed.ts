import assert from "node:assert/strict";
import type { PostReply } from "#src/http/outgoing/guarded-request.ts";
import { present } from "#src/lib/assert.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import type { BackchannelRequest } from "#src/sandbox/test-tpp/authorization-flow.ts";
import type { Answer, Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openAuthBed } from "./auth-bed.ts";

/** A ping as a TPP has received it. */
type Received = { url: string; body: string; headers: Readonly<Record<string, string>> };

/** The id of a customer of the paper bank. */
export const anna = "cust-anna";

/** Opens an authorization server at which TPPs begin journeys without a browser. */
export async function openBackchannelBed(
  given: Omit<Parameters<typeof openAuthBed>[0], "inApp" | "backchannelSender"> = {},
) {
  const pings: Received[] = [];
  const state: { reply: PostReply | Promise<PostReply> } = { reply: replyOf(204) };
  const bed = await openAuthBed({
    ...given,
    inApp: true,
    backchannelSender: {
      async post(request) {
        pings.push(request);
        return state.reply;
      },
      close: () => undefined,
    },
  });
  const backchannel = present(bed.auth.backchannel, "journeys without a browser");
  const app = bed.appJourneys;
  return {
    ...bed,
    backchannel,
    app,
    /** The challenges that customers have got in the app, in order. */
    challenges: bed.inApp.challenges,
    /** The pings that TPPs have received, in order. */
    pings,
    /** Sets the answer of TPPs to pings. */
    answerPings: (reply: PostReply | Promise<PostReply>) => void Object.assign(state, { reply }),
    /** A claim that names a customer by an identifier from the app. */
    async hint(customerId: string) {
      const { identifier } = await app.identify({ customerId });
      return { login_hint_token: hintToken({ ephemeral_sub: identifier }) };
    },
    /** The journey that a request for a consent has begun. */
    async journeyOf(consentId: string): Promise<string> {
      const row = await first<{ uid: string }>(
        bed.database,
        sql`select uid from journey where consent_id = ${consentId} order by created_at desc`,
      );
      return present(row, "the journey").uid;
    },
    /** Answers in the app, and lets the bank take the answer. */
    async answer(...[answer]: Parameters<typeof bed.answerInApp>) {
      bed.answerInApp(answer);
      await backchannel.run();
    },
    createTpp: (request: Partial<TppRequest> = {}) => bed.createTpp(request),
  };
}

export type BackchannelBed = Awaited<ReturnType<typeof openBackchannelBed>>;

/** A response to a ping. */
export const replyOf = (status: number): PostReply => ({ status, headers: {} });

/** An unsigned login_hint_token. */
export function hintToken(claims: Record<string, unknown>): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode(claims)}.`;
}

type Begun = { auth_req_id: string; expires_in: number; interval: number };

/** Begins a request, which must be accepted. */
export async function begin(client: TppClient, request: BackchannelRequest): Promise<Begun> {
  const answer = await client.backchannel(request);
  assert.equal(answer.status, 200, answer.raw.toString());
  return answer.body as Begun;
}

/** Polls for the tokens, which must be there. */
export async function tokensOf(client: TppClient, authReqId: string): Promise<Tokens> {
  const answer = await client.poll(authReqId);
  assert.equal(answer.status, 200, answer.raw.toString());
  return answer.body as Tokens;
}

/** Fails unless an answer is this error. */
export function expectError(answer: Answer, status: number, error: string): void {
  const { error: found } = answer.body as { error?: string };
  assert.deepEqual([answer.status, found], [status, error], answer.raw.toString());
}
