import type { IncomingMessage, ServerResponse } from "node:http";
import { VerificationError } from "./errors.ts";
import { type BankEvent, openEvent } from "./event.ts";
import { listenerOf } from "./listener.ts";
import type { CallOptions } from "./options.ts";
import type { Scope } from "./scope.ts";
import type { ApiCall, Session } from "./session.ts";
import type { AnswerOf, BodyOf, OperationsOf, Version } from "./versions.ts";

type Operations<V> = OperationsOf<V, "events">;
type Subscription<V> = AnswerOf<Operations<V>, "POST /event-subscriptions">;

/** Choices for polling. */
type PollOptions = Pick<CallOptions, "signal"> & {
  /** Whether to end when there are no more events instead of waiting for the next. */
  once?: boolean;
  /** Events per answer. */
  most?: number;
};

/** What you do with an event. If it fails, the bank sends the event again. */
export type EventHandler = (event: BankEvent) => void | Promise<void>;

/** Event notifications. */
export class Events<V> {
  readonly #session: Session;
  readonly #scope: Scope;

  constructor(session: Session, scope: Scope) {
    this.#session = session;
    this.#scope = scope;
  }

  /** Registers for events: at your URL if you give one, otherwise for polling. */
  subscribe(
    data: BodyOf<Operations<V>, "POST /event-subscriptions"> extends { Data: infer Data }
      ? Omit<Data, "Version"> & { Version?: string }
      : never,
    options?: CallOptions,
  ): Promise<Subscription<V>> {
    const body = { Data: { Version: registered[this.#session.versions.events], ...data } };
    return this.#call({ method: "POST", path: subscriptions, body, signed: true, options });
  }

  /** Reads your registration. */
  readSubscriptions(
    options?: CallOptions,
  ): Promise<AnswerOf<Operations<V>, "GET /event-subscriptions">> {
    return this.#call({ method: "GET", path: subscriptions, signed: true, options });
  }

  /** Changes your registration. Give all of it. */
  changeSubscription(
    subscription: Subscription<V>,
    options?: CallOptions,
  ): Promise<Subscription<V>> {
    const { Data } = subscription as { Data: { EventSubscriptionId: string } };
    const path = `${subscriptions}/${encodeURIComponent(Data.EventSubscriptionId)}`;
    return this.#call({ method: "PUT", path, body: { Data }, signed: true, options });
  }

  /** Ends your registration. */
  async unsubscribe(subscriptionId: string, options?: CallOptions): Promise<void> {
    const path = `${subscriptions}/${encodeURIComponent(subscriptionId)}`;
    await this.#call({ method: "DELETE", path, signed: true, options });
  }

  /**
   * Polls for events. An event is acknowledged when you ask for the one after it, so the bank
   * returns an event again whose handling has failed. An event whose token is invalid is refused
   * and left out. If a token cannot be verified now, this throws, and the event comes again.
   */
  async *poll(options: PollOptions = {}): AsyncGenerator<BankEvent> {
    const { signal, once = false, most } = options;
    let answers: Settled = { ack: [], setErrs: {} };
    try {
      while (!signal?.aborted) {
        const sent = answers;
        answers = { ack: [], setErrs: {} };
        const polled = await this.#poll({ ...sent, returnImmediately: once, most }, signal);
        for (const [id, token] of Object.entries(polled.sets)) {
          const event = await openEvent(this.#session, token).catch((error: Error) => {
            if (!(error instanceof VerificationError)) throw error;
            answers.setErrs[id] = { err: "authentication_failed", description: error.message };
            return null;
          });
          if (event === null) continue;
          yield event;
          answers.ack.push(id);
        }
        if (once && Object.keys(polled.sets).length === 0 && !polled.moreAvailable) return;
      }
    } catch (error) {
      if (!signal?.aborted) throw error;
    } finally {
      if (answers.ack.length > 0 || Object.keys(answers.setErrs).length > 0) {
        await this.#poll({ ...answers, returnImmediately: true, most: 0 }, undefined);
      }
    }
  }

  async #poll(
    {
      ack,
      setErrs,
      returnImmediately,
      most,
    }: Settled & { returnImmediately: boolean; most?: number | undefined },
    signal: AbortSignal | undefined,
  ): Promise<Polled> {
    const body = {
      returnImmediately,
      ...(most === undefined ? {} : { maxEvents: most }),
      ...(ack.length > 0 ? { ack } : {}),
      ...(Object.keys(setErrs).length > 0 ? { setErrs } : {}),
    };
    return this.#call<Polled>({
      method: "POST",
      path: "/events",
      body,
      signed: false,
      repeatable: true,
      timeoutMs: longestPollMs,
      options: signal ? { signal } : {},
    });
  }

  /** Verifies the token of an event that has arrived at your URL. */
  receive(token: string): Promise<BankEvent> {
    return openEvent(this.#session, token);
  }

  /** Makes a handler of Fetch API requests for your callback URL. */
  handler(onEvent: EventHandler): (request: Request) => Promise<Response> {
    return async (request) => {
      const id = request.headers.get(interactionHeader);
      const { status, headers } = await this.#take(await request.text(), onEvent);
      return new Response(null, {
        status,
        headers: { ...headers, ...(id ? { [interactionHeader]: id } : {}) },
      });
    };
  }

  /** Makes a listener for `createServer` of `node:http`, and for Express. */
  listener(onEvent: EventHandler): (request: IncomingMessage, response: ServerResponse) => void {
    return listenerOf(largestToken, async (token, { headers }) => {
      const id = headers[interactionHeader];
      const { status, headers: own } = await this.#take(token, onEvent);
      return { status, headers: { ...own, ...(id ? { [interactionHeader]: String(id) } : {}) } };
    });
  }

  async #take(token: string, onEvent: EventHandler): Promise<Reply> {
    let event: BankEvent;
    try {
      event = await this.receive(token);
    } catch (error) {
      // the bank does not send it again
      if (error instanceof VerificationError) return { status: 400 };
      // the bank's keys cannot be fetched: it sends the event again
      return { status: 503, headers: { "retry-after": "10" } };
    }
    try {
      await onEvent(event);
      return { status: 202 };
    } catch {
      return { status: 500 }; // the bank sends it again
    }
  }

  async #call<Body>(call: Omit<ApiCall, "api" | "token">): Promise<Body> {
    return (await this.#session.call({ ...call, api: "events", token: this.#scope })).body as Body;
  }
}

/** What a registration names: before 3.1.2, all events were updates of resources. */
const registered: Readonly<Record<Version, string>> = { "v3.1": "3.1.11", "v4.0": "4.0" };
const subscriptions = "/event-subscriptions";
const interactionHeader = "x-fapi-interaction-id";
const longestPollMs = 120_000;
const largestToken = 65_536;

type Reply = { status: number; headers?: Record<string, string> };
type Settled = { ack: string[]; setErrs: Record<string, { err: string; description: string }> };
type Polled = { sets: Record<string, string>; moreAvailable: boolean };
