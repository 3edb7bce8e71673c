import { type ChallengeSubject, subjectHash } from "#src/bank/challenge.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";

/** What the customer has answered to what was shown. */
export type ShowingAnswer = {
  /** When the customer answered (RFC 3339). */
  at: string;
  /** Whether the customer went on, or approved; null if an earlier release has stored it. */
  decision: "continue" | "approve" | null;
  /** The accounts that the customer chose there. */
  accountIds?: readonly string[];
  /** How the customer confirmed it, if that took a second factor. */
  method?: string | null;
  acr?: string;
  amr?: readonly string[];
  challengeId?: string;
};

/** What a customer was shown at one moment on the way to an approval. */
export type Showing = {
  /** The step that has shown it, such as `review`, or `payee check`. */
  step: string;
  /** On a page of the bank, in its app, or at its own OpenID provider. */
  way: "page" | "app" | "provider";
  /**
   * When it was made for the customer (RFC 3339). Null if that is not known: an earlier release has
   * led the customer there, or the consent has changed after the page was stored.
   */
  at: string | null;
  /** What was shown; null if an earlier release has kept only its hash. */
  shown: object | null;
  /** The SHA-256 of `shown` as canonical JSON. */
  shownHash: string;
  /** The hash of the subject that the approval confirms: a passkey signs it, an app returns it. */
  subjectHash: string;
  /**
   * The hash of the facts that it is about, which is the same in other words; absent if an earlier
   * release has stored it.
   */
  factsHash?: string;
  /** Null if the customer was asked nothing, such as about a payee's name that is right. */
  answer: ShowingAnswer | null;
};

/** The step of what the payee's bank has said about a name. */
export const payeeCheckName = "payee check";

/** Makes a showing that awaits its answer. */
export function newShowing({
  act: { subject, factsHash },
  ...given
}: Pick<Showing, "step" | "way"> & {
  act: { subject: ChallengeSubject; factsHash: string };
  at: Temporal.Instant | null;
  shown: object;
}): Showing {
  // as it is stored, so that anybody can compute the hash again
  const shown = JSON.parse(JSON.stringify(given.shown)) as object;
  const shownHash = sha256(canonicalJson(shown));
  const hashes = { shownHash, subjectHash: subjectHash(subject), factsHash };
  return { ...given, at: given.at?.toString() ?? null, shown, ...hashes, answer: null };
}

const hasWarning = ({ shown }: Showing): boolean =>
  shown !== null && "warning" in shown && shown.warning !== null;

/**
 * Adds the answer to the last showing. If that has shown a warning about the payee's name, the
 * answer is to the warning, too, and the last such answer counts.
 */
export function answered(showings: readonly Showing[], answer: ShowingAnswer): Showing[] {
  const last = showings.at(-1);
  return showings.map((one) => {
    const isWarning = one.step === payeeCheckName && hasWarning(one);
    const isAnswered = one === last || (isWarning && last !== undefined && hasWarning(last));
    return isAnswered && (one.answer === null || isWarning) ? { ...one, answer } : one;
  });
}
