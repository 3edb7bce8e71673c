import { setTimeout as delay } from "node:timers/promises";
import { type Answering, accepted, openReceiver } from "#test/events/receiver.ts";
import { readEvent } from "#test/model/read-call.ts";
import type { RecordingTpp } from "#test/model/recording-tpp.ts";
import type { BankProcess } from "./bank-process.ts";
import type { Draw } from "./fuzz/draw.ts";

/** A TPP that receives events while banks die. */
export type EventTpp = {
  /** The data of its registration. */
  registration: { CallbackUrl?: string };
  /** The bank's behaviour that is wrong. */
  findings: Set<string>;
  /** Begins to receive events, once the TPP is registered. */
  start(banks: readonly BankProcess[]): void;
  /** Stops failing on purpose. */
  recover(): void;
  close(): Promise<void>;
};

/** A TPP whose endpoint fails at some requests. */
export async function openCallbackTpp(
  { history, tpp }: RecordingTpp,
  draw: Draw,
): Promise<EventTpp> {
  let isReliable = false;
  const receive: Answering = (received) => {
    const settling = isReliable || draw.below(12) > 0 ? "accepted" : null;
    history.note(tpp.clientId, "arrive", { event: readEvent(received.body), settling }, {});
    return settling === null ? { status: 503 } : accepted(received);
  };
  const receiver = await openReceiver(receive);
  return {
    registration: { CallbackUrl: receiver.url },
    findings: new Set(),
    start: () => undefined,
    recover() {
      isReliable = true;
    },
    close: () => receiver.close(),
  };
}

const lanes = 3;
const refuses = (jti: string): boolean => jti.startsWith("0");

type Polled = { sets: Record<string, string> };

/**
 * A TPP that polls all banks with concurrent requests. Several of its requests acknowledge the same
 * events, in different orders. It refuses some events (`setErrs`), and loses some responses.
 */
export async function openPollingTpp(client: RecordingTpp, draw: Draw): Promise<EventTpp> {
  const findings = new Set<string>();
  const open = new Set<string>(); // received, and not known to be settled
  const settled = new Set<string>();
  let running: Promise<unknown> = Promise.resolve();
  let isOpen = true;
  let isReliable = false;
  let turn = 0;

  async function pollOnce(url: string, token: string): Promise<number> {
    const named = [...open].filter(() => draw.chance(0.8)).reverse();
    if (draw.chance(0.5)) named.reverse();
    const err = { err: "setData", description: "The event names an unknown resource." };
    const answer = await client
      .call<Polled>({
        path: `${url}/api/open-banking/v4.0/events`,
        token,
        body: {
          maxEvents: 1 + draw.below(20),
          returnImmediately: draw.chance(0.5),
          ack: named.filter((jti) => !refuses(jti)),
          setErrs: Object.fromEntries(named.filter(refuses).map((jti) => [jti, err])),
        },
      })
      .catch(() => null);
    if (answer?.status !== 200) return answer?.status ?? 503;
    for (const jti of named) {
      settled.add(jti);
      open.delete(jti);
    }
    const isLost = !isReliable && draw.chance(0.1);
    if (isLost) return 200;
    for (const jti of Object.keys(answer.body.sets)) if (!settled.has(jti)) open.add(jti);
    return 200;
  }
  async function lane(banks: readonly BankProcess[]): Promise<void> {
    let token = "";
    while (isOpen) {
      const { publicUrl = "" } = banks[turn++ % banks.length] ?? {};
      token ||= await client.clientToken("payments").catch(() => "");
      const status = token ? await pollOnce(publicUrl, token) : 503;
      if (status === 401)
        token = ""; // the token has expired
      else if (status !== 200 && status !== 503) findings.add(`a poll was answered ${status}`);
      await delay(status === 200 ? 30 : 200);
    }
  }
  return {
    registration: {},
    findings,
    start(banks) {
      running = Promise.all(Array.from({ length: lanes }, () => lane(banks)));
    },
    recover() {
      isReliable = true;
    },
    async close() {
      isOpen = false;
      await running;
    },
  };
}

/** The ways in which a TPP can receive events. */
export const eventTpps = {
  "callback URL": openCallbackTpp,
  polling: openPollingTpp,
} satisfies Record<string, (client: RecordingTpp, draw: Draw) => Promise<EventTpp>>;
