import { factorSubject, type Limit } from "#src/auth/login/attempts.ts";
import type { Authentication } from "#src/auth/login/authentication.ts";
import type { StoredChallenge } from "#src/auth/login/challenges.ts";
import type { LoginRefusal } from "#src/auth/login/refusal.ts";
import type { Bank } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { AskedFactor } from "#src/pages/asked-factor.ts";
import type { Database } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";

/**
 * The result of an answer.
 * - `over`: the challenge cannot be answered any more.
 * - `waiting`: the customer has not answered yet; `unreachable`: the core cannot say now.
 * - `declined`: the customer has declined in the app; what follows that, or null if nothing does.
 * - `altered`: the customer has approved something else.
 */
export type Verified =
  | { verified: Authentication }
  | "over"
  | "waiting"
  | "unreachable"
  | { declined: Declined | null }
  | "altered"
  | LoginRefusal;

/** What a customer who has declined must know: one more leads to a wait, or there is one now. */
export type Declined = { error: string; waitUntil: Temporal.Instant | null };

/** What judging an answer needs. */
export type MethodDeps = {
  database: Database;
  clock: Clock;
  bank: Bank;
  /** The clock for the core's times. The sandbox's clock may be ahead of it. */
  coreClock: Clock;
};

/** What a sandbox adds to the page. */
type Hints = { codeOf(challengeId: string): Promise<string | null> };

/** When the page is shown, and what a sandbox adds to it; `hints` is absent in production. */
type Asking = { now: Temporal.Instant; hints: Hints | undefined };

/** The number of challenges that can follow the first one, whoever asks for them. */
const newCodesAllowed = 3;

/** Whether the customer can ask for a challenge in place of this one. */
export const isRenewable = ({ newCodes }: Pick<StoredChallenge, "newCodes">): boolean =>
  newCodes < newCodesAllowed;

/** A way in which a customer confirms a subject. */
export type ApprovalMethod = {
  /** Whether the answer arrives elsewhere, so that the page asks for it again and again. */
  isAnsweredElsewhere: boolean;
  /**
   * Whether a challenge that cannot be answered any more is replaced when its page is shown. If
   * not, the customer asks for the next one.
   */
  renewsItself: boolean;
  texts: {
    /** The notes after the customer has asked for a new challenge, and after too many of them. */
    sent: string;
    noMore: string;
    /** Why an answer came too late, if the method renews itself: the page has a new challenge. */
    over: string;
    /** The note after the customer has asked for a code instead. */
    codeInstead: string;
  };
  /** How the page asks for the answer. */
  asks(challenge: StoredChallenge, asking: Asking): Promise<AskedFactor>;
  /** Judges an answer; what the form has sent, which may be nothing. */
  judge(
    deps: MethodDeps,
    challenge: StoredChallenge,
    answer: string,
    later: Sql[] | undefined,
  ): Promise<Verified>;
};

/**
 * The limit of a customer's wrong answers in a row, in all channels and by all methods. Source:
 * SCA-RTS article 4(3)(b).
 */
export const factorLimit = ({ customerId }: Pick<StoredChallenge, "customerId">): Limit => ({
  subject: `${factorSubject}${customerId}`,
  allowed: 5,
});

/** The number of requests in the app that a customer may leave unanswered. */
export const askedAllowed = 10;

/**
 * The limit of requests in the app that a customer has left unanswered. Those that TPPs begin
 * without a browser count apart and delay only one another, so that no TPP can lock a customer out
 * of the bank. A right answer, by any method, resets the counts and ends the waits. Each request
 * beyond the limit doubles the wait.
 */
export const askedLimit = ({
  customerId,
  isByTpp,
}: Pick<StoredChallenge, "customerId" | "isByTpp">): Limit => ({
  subject: `${isByTpp ? "asked-by-tpps" : "asked"}:${customerId}`,
  allowed: askedAllowed,
});

/** The limits of the customer's own requests in the app, and of those that TPPs begin. */
export const askedLimits = ({ customerId }: Pick<StoredChallenge, "customerId">): Limit[] =>
  [false, true].map((isByTpp) => askedLimit({ customerId, isByTpp }));

/** The number of requests of one client in an hour that one customer leaves without an approval. */
export const unapprovedAllowed = 5;

/**
 * The limit of requests without a browser of one client that have failed, although the customer may
 * have been asked; the other ones are counted by their journeys. An approval resets it.
 */
export const failedLimit = (asked: { clientId: string; customerId: string }): Limit => ({
  subject: `asked:${asked.customerId} by ${asked.clientId}`,
  allowed: unapprovedAllowed,
});
