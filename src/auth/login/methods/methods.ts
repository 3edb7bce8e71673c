import type { StoredChallenge } from "#src/auth/login/challenges.ts";
import type { Challenge } from "#src/bank/challenge.ts";
import { codeMethod } from "./code.ts";
import { decoupledMethod } from "./decoupled.ts";
import type { ApprovalMethod } from "./method.ts";
import { passkeyMethod } from "./passkey.ts";

/** The ways in which a customer confirms a subject, by the method of the core's challenge. */
const methods: Readonly<Record<Challenge["method"], ApprovalMethod>> = {
  code: codeMethod,
  passkey: passkeyMethod,
  decoupled: decoupledMethod,
};

/** The method of a challenge. */
export const methodOf = ({ method }: Pick<StoredChallenge, "method">): ApprovalMethod =>
  methods[method];

/**
 * Until when no answer that the page of a challenge sends is checked; null if the next one is, or
 * if the answer arrives elsewhere.
 */
export const pageLockEnd = (
  challenge: Pick<StoredChallenge, "method" | "lockedUntil">,
): Temporal.Instant | null =>
  challenge.lockedUntil === null || methodOf(challenge).isAnsweredElsewhere
    ? null
    : Temporal.Instant.from(challenge.lockedUntil);

/**
 * Whether the page of a challenge takes the answer by itself: it waits for the answer in the app,
 * which may have been given just before the end of the challenge; or the answer is there, but was
 * not used yet, such as in an outage of the core, or because a new request has read it.
 */
export const isTakenByPage = (challenge: StoredChallenge): boolean =>
  methodOf(challenge).isAnsweredElsewhere &&
  (!challenge.isSettled || challenge.unspent !== null || challenge.refusedAs !== null);
