import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BackchannelOptions } from "./backchannel-request.ts";
import { listenerOf } from "./listener.ts";
import type { BackchannelRequest, Grant } from "./options.ts";
import { pause } from "./retry.ts";
import type { Scope } from "./scope.ts";
import type { Session } from "./session.ts";

/** Finds the request with this id where you keep your requests. */
type Find = (
  id: string,
) => BackchannelRequest | null | undefined | Promise<BackchannelRequest | null | undefined>;

/** What you do when a customer has decided. If it fails, the bank tells you again. */
type DecisionHandler = (request: BackchannelRequest) => void | Promise<void>;

/** Approvals in the bank's app, without a browser (CIBA). */
export class Backchannel {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Asks for a customer's approval. Keep what it returns until the customer has decided. */
  start(
    consent: { id: string; scope: Scope },
    options?: BackchannelOptions,
  ): Promise<BackchannelRequest> {
    return this.#session.server.startBackchannel(consent, options);
  }

  /**
   * Polls until the customer has decided, at the pace that the bank sets, and returns the grant.
   * Throws AuthorisationError if the customer did not approve.
   */
  async wait(
    request: BackchannelRequest,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<Grant> {
    const { pause: wait = pause } = this.#session.options;
    let { intervalSeconds } = request;
    for (;;) {
      signal?.throwIfAborted();
      const answer = await this.#session.server.pollBackchannel(request);
      if (typeof answer === "object") return answer;
      if (answer === "slow_down") intervalSeconds += furtherSeconds;
      await wait(intervalSeconds * 1000, signal);
    }
  }

  /** Makes a listener for the bank's pings, for `createServer` of `node:http` and for Express. */
  listener(
    find: Find,
    onDecision: DecisionHandler,
  ): (request: IncomingMessage, response: ServerResponse) => void {
    return listenerOf(largestPing, async (body, { headers: { authorization } }) => {
      return { status: await take({ authorization, body }, find, onDecision) };
    });
  }

  /** Makes a handler of Fetch API requests for the bank's pings. */
  handler(find: Find, onDecision: DecisionHandler): (request: Request) => Promise<Response> {
    return async (request) => {
      const authorization = request.headers.get("authorization") ?? undefined;
      const ping = { authorization, body: await request.text() };
      return new Response(null, { status: await take(ping, find, onDecision) });
    };
  }
}

/** By how much `slow_down` makes the interval longer. */
const furtherSeconds = 5;
const largestPing = 16_384;

type Ping = { authorization: string | undefined; body: string };

/** Verifies that a ping has the token of its request. Returns the status of the answer. */
async function take(ping: Ping, find: Find, onDecision: DecisionHandler): Promise<number> {
  const id = idIn(ping.body);
  if (id === null) return 400;
  try {
    const request = await find(id);
    const token = request?.notificationToken;
    if (!request || !token || !isSame(ping.authorization ?? "", `Bearer ${token}`)) return 401;
    await onDecision(request);
    return 204;
  } catch {
    return 500; // the bank tells it again
  }
}

function idIn(body: string): string | null {
  try {
    const { auth_req_id: id } = JSON.parse(body) as { auth_req_id?: unknown };
    return typeof id === "string" ? id : null;
  } catch {
    return null;
  }
}

/** Compares in a time that says nothing about the token. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hashOf(given), hashOf(expected));

const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();
