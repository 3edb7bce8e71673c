import { signatureCodes } from "#src/http/signature/jws.ts";
import type { LogEntry, LoggedBodies } from "#src/request-log/entry.ts";
import { refusalCodes } from "#src/standard/error-codes.ts";
import type { FaultCode } from "#src/standard/faults.ts";
import { adviceOn, adviceOnUnserved } from "./advice.ts";
import type { Advice } from "./advice-row.ts";
import { callOf } from "./explain-object.ts";
import type { ExplainedFault, Explanation } from "./explanation.ts";
import { foundIn, parse } from "./found-in.ts";
import { adviceOnReason, likelyNext, quotedAt, quotedIn } from "./likely-advice.ts";
import { examineSignature } from "./signature.ts";
import type { SigningFacts } from "./signing-facts.ts";
import { inWords, type VersionWords } from "./version-words.ts";

/** A request of the log, to be explained. */
type Asked = {
  entry: LogEntry;
  bodies: LoggedBodies | null;
  /** The check that refused it; null if it is not known. */
  refusedBy: string | null;
  /** Other requests with the same interaction id. */
  sameInteraction: readonly LogEntry[];
  /** The first request with the same idempotency key; null if it is this one, or without a key. */
  firstWithKey: LogEntry | null;
  /** How the client may sign; null if the caller is not known. */
  signing: SigningFacts | null;
  /** The values that `tan` may have. */
  trustAnchors: readonly string[];
  words: VersionWords;
};

/** Explains the answer to a request. */
export function explainRequest(asked: Asked): Explanation {
  const { entry, bodies, sameInteraction, firstWithKey, words } = asked;
  const faults = isRefused(entry) && !entry.played ? faultsOf(entry, bodies, words) : [];
  return {
    subject: "request",
    id: entry.interactionId,
    summary: summaryOf(asked),
    faults,
    signature: signatureOf(asked),
    facts: [
      ...(firstWithKey === null
        ? []
        : [{ name: "first request with this idempotency key", value: timed(firstWithKey) }]),
      ...sameInteraction.map((one) => ({ name: "same interaction id", value: callOf(one) })),
    ],
    history: [],
    next: faults.find(({ next }) => next !== null)?.next ?? usualNext(entry),
  };
}

const timed = (one: LogEntry): string =>
  `${callOf(one)} at ${Temporal.Instant.fromEpochMilliseconds(one.at)}`;

function summaryOf(asked: Asked): string {
  const { played } = asked.entry;
  const said = answerOf(asked);
  if (!played) return said;
  return `${said} But the sandbox played ${played.name} on the client: ${played.text}`;
}

/** Whether a request was not answered as it asked. */
export const isRefused = ({ status, codes }: LogEntry): boolean =>
  status >= 400 || codes.length > 0;

function answerOf({ entry, refusedBy, firstWithKey, words }: Asked): string {
  const { method, path, status, codes, isReplay } = inWords(entry, words);
  const asked = `${method} ${path}`;
  if (!isRefused(entry)) {
    const first = firstWithKey === null ? "" : `, ${firstWithKey.interactionId}`;
    return isReplay
      ? `${asked} was answered with ${status}, and repeats the answer to an earlier request with the same key${first}.`
      : `${asked} was answered with ${status}.`;
  }
  const by = refusedBy === null ? "" : `, by the check ${refusedBy}`;
  const why = codes.length === 0 ? "" : `: ${codes.join(", ")}`;
  return `${asked} was rejected with ${status}${by}${why}.`;
}

function usualNext({ status, played, clientId }: LogEntry): string {
  if (played) return `Read how the client coped: \`./aldgate robust report ${clientId ?? ""}\`.`;
  if (status < 400) return "Nothing is wrong with this request.";
  if (status === 429) return "Wait for the number of seconds in Retry-After, then send it again.";
  if (status >= 500) return "Send the same request again later, with the same idempotency key.";
  return "Read the message of the answer, and correct the request.";
}

type AnswerError = { ErrorCode?: string; Message?: string; Path?: string };

/** The faults of an answer; only their codes if its body is not kept. */
function faultsOf(
  entry: LogEntry,
  bodies: LoggedBodies | null,
  words: VersionWords,
): ExplainedFault[] {
  const answer = parse(bodies?.answer);
  const errors = Array.isArray(answer?.Errors) ? (answer.Errors as AnswerError[]) : [];
  const instead = entry.operation === null ? adviceOnUnserved(entry.status) : null;
  const reason = reasonOf(entry, bodies);
  if (errors.length > 0) {
    return errors.map(({ ErrorCode, Message, Path }) => {
      const code = codeOf(ErrorCode, entry, words);
      const said = {
        message: Message ?? null,
        where: Path ?? null,
        found: Path === undefined ? null : foundIn(Path, bodies),
      };
      const advice = instead ?? (Path === "Authorization" ? reason : null);
      return { ...explained(code, said, advice), code: ErrorCode ?? code };
    });
  }
  const said =
    bodies?.refusal ?? answer?.error_description ?? answer?.message ?? challengeOf(bodies);
  const message = typeof said === "string" ? said : null;
  // the last code is the most exact one: a reason, or the id of a rule
  const code = entry.codes.at(-1) ?? String(entry.status);
  const fault = instead
    ? explained(code, { message, where: null, found: null }, instead)
    : explainedReason(code, message, (where) => foundIn(where, bodies, message));
  return [{ ...fault, code: words.code(entry, code) }];
}

/** The advice on the token of a request that was refused with an error code of the standard. */
function reasonOf({ codes, status }: LogEntry, bodies: LoggedBodies | null): Advice | null {
  const reason = codes.at(-1) ?? "";
  if (Object.hasOwn(refusalCodes, reason)) {
    // a wrong grant is 403 in some APIs, which has a message and no challenge
    const message = bodies?.answer ?? "";
    const isGrant = status === 403 && /from the grant/.test(message);
    return isGrant ? adviceOnReason("tokenGrant", message) : null;
  }
  return adviceOnReason(reason, challengeOf(bodies) ?? "");
}

/** A fault by its code, with what stands behind it; `advice` if another one fits better. */
export function explained(
  code: string,
  said: Pick<ExplainedFault, "message" | "where" | "found">,
  advice: Advice | null = null,
): ExplainedFault {
  const meaning = Object.hasOwn(refusalCodes, code)
    ? refusalCodes[code as keyof typeof refusalCodes].text
    : null;
  const { rules = [], sections = [], next = null } = advice ?? adviceOn(code) ?? {};
  const mended = likelyNext({ code, ...said }) ?? next;
  return { code, meaning, ...said, expected: null, rules, sections, next: mended };
}

/** A reason without an error code. `message` is its text, and `find` finds what was sent. */
export function explainedReason(
  code: string,
  message: string | null,
  find: (where: string) => string | null,
): ExplainedFault {
  const isOfOauth = /^[a-z_]+$/.test(code);
  const advice =
    adviceOnReason(code, message ?? "") ?? (isOfOauth ? adviceOn("unexplained") : null);
  const quoted = quotedIn(code, message ?? "");
  if (advice === null || advice.where === null) {
    return explained(code, { message, where: null, found: quoted.found ?? null });
  }
  const { where, expected } = advice;
  const found = find(where) ?? quoted.found ?? quotedAt(where, quoted);
  const fault = explained(code, { message, where, found }, advice);
  return { ...fault, meaning: message, message: null, expected };
}

/** The code of the log for that of an answer, which a version may have in its own words. */
function codeOf(shown: string | undefined, entry: LogEntry, words: VersionWords): string {
  const own = entry.codes.find((code) => words.code(entry, code) === shown);
  return own ?? entry.codes[0] ?? shown ?? "";
}

function challengeOf(bodies: LoggedBodies | null): string | null {
  const challenge = bodies?.answerHeaders["www-authenticate"] ?? "";
  return /error_description="([^"]*)"/.exec(challenge)?.[1] ?? null;
}

function signatureOf({ entry, bodies, signing, trustAnchors }: Asked): Explanation["signature"] {
  const header = bodies?.requestHeaders["x-jws-signature"];
  const isAbout = entry.codes.some((code) => signatureCodes.has(code as FaultCode));
  if (!isAbout || !bodies || header === undefined || bodies.request === null) return null;
  const body = Buffer.from(bodies.request);
  // a longer body was cut off when it was kept
  if (signing === null || body.length !== bodies.requestBytes) return null;
  const { organisationId, softwareId, keys } = signing;
  const time = { bankTime: entry.bankTime / 1000, realTime: entry.at / 1000 };
  const expectation = {
    organisationId,
    softwareId,
    certificateSubject: null,
    trustAnchors,
    ...time,
  };
  return examineSignature({ header, body, expectation, keys });
}
