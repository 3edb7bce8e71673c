import type { PostReply } from "#src/http/outgoing/guarded-request.ts";
import type { SigningKey } from "#src/http/signature/signer.ts";
import type { ObservedCall } from "./observed-call.ts";

/** What a client can come to. */
export const verdicts = [
  "coped",
  "paid twice",
  "gave up",
  "at risk",
  "not reached",
  "cannot be judged",
] as const;

/** How a client coped with a misbehaviour. */
export type ClientVerdict = (typeof verdicts)[number];

/** A verdict, with a sentence about what the bank saw. */
export type ClientJudgement = {
  verdict: ClientVerdict;
  seen: string;
  /** Orders that the client has made twice. */
  orders?: readonly string[];
};

/** What the bank saw of one misbehaviour. */
export type PlayEvidence = {
  /** The calls on which it was played, the oldest first: at least one. */
  played: ObservedCall;
  plays: readonly ObservedCall[];
  /** The client's calls that arrived after the first of them, in their order. */
  later: readonly ObservedCall[];
  /** When the key set of the bank was fetched, by anybody, after the first of them. */
  keySetFetches: readonly number[];
  settings: RunSettings;
  /** What the row has kept. */
  memory: ReadonlyMap<string, unknown>;
};

/** How long a run takes, in seconds. */
export type RunSettings = {
  /** The whole run. */
  lasts: number;
  /** How long the bank waits for what the client does after a misbehaviour. */
  patience: number;
  /** How long slow answers take. */
  slow: number;
  /** What `Retry-After` says. */
  retryAfter: number;
};

/** An answer of the bank, before it is sent. Header names are in lower case. */
export type BankAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
};

/** What is sent in place of an answer. */
export type SentAnswer = BankAnswer & {
  delaySeconds?: number;
  /** The connection is cut before the answer, or in the middle of it. */
  cut?: "before" | "inside";
  /** Signs the body, in place of the bank's current key. */
  key?: SigningKey;
};

/** What rows use to make an answer. */
export type Tools = {
  settings: RunSettings;
  /** What the row keeps from one call to the next. */
  memory: Map<string, unknown>;
  /** Makes a key of the bank, which is published, but with which it does not sign. */
  newKey(): Promise<SigningKey>;
};

/** What rows use to send an event to a client's URL. */
export type PushTools = Tools & {
  /** Begins the play on the event; false if another row was faster. */
  play(): boolean;
  /** Sends the event once more. */
  send(): Promise<PostReply>;
  /** Waits, but not when the bank closes. */
  wait(milliseconds: number): Promise<unknown>;
};

/** One way in which a real bank breaks its clients: a row of the table. */
export type Misbehaviour = {
  name: string;
  title: string;
  /** What is played, and on which calls. */
  plays: string;
  touches: string;
  /** What a robust client does, and what to change in one that does not. */
  robust: string;
  advice: string;
  /** Refuses a call in place of the bank, which does not carry it out; null if it does not fit. */
  refuse?(call: ObservedCall, tools: Tools): BankAnswer | null;
  /** Changes an answer of the bank; null if it does not fit. */
  change?(
    call: ObservedCall,
    answer: BankAnswer,
    tools: Tools,
  ): Promise<SentAnswer | null> | SentAnswer | null;
  /** Is called before an event is sent to the client's URL. */
  push?(call: ObservedCall, tools: PushTools): Promise<void>;
  /** Is called when the URL has answered. Returns the answer that counts for the bank. */
  pushed?(call: ObservedCall, reply: PostReply, tools: PushTools): Promise<PostReply>;
  /** How often it is played at most, as long as nothing is decided. */
  most?: number;
  /** Judges the client; null if nothing is decided yet. */
  judge(evidence: PlayEvidence): ClientJudgement | null;
  /** Judges a client that has done nothing decisive within the time. */
  judgeSilence(evidence: PlayEvidence): ClientJudgement;
};
