import { signatureCodes } from "#src/http/signature/jws.ts";
import { beginningOf } from "#src/lib/plain-text.ts";
import type { LogEntry, LoggedBodies } from "#src/request-log/entry.ts";
import { refusalCodes } from "#src/standard/error-codes.ts";
import type { FaultCode } from "#src/standard/faults.ts";
import { adviceOn } from "./advice.ts";
import type { ExplainedFault, Explanation } from "./explanation.ts";
import { examineSignature } from "./signature.ts";
import type { SigningFacts } from "./signing-facts.ts";

/** A request of the log, to be explained. */
type Asked = {
  entry: LogEntry;
  bodies: LoggedBodies | null;
  /** The check that refused it; null if it is not known. */
  refusedBy: string | null;
  /** How the client may sign; null if the caller is not known. */
  signing: SigningFacts | null;
  /** The values that `tan` may have. */
  trustAnchors: readonly string[];
};

/** Explains the answer to a request. */
export function explainRequest(asked: Asked): Explanation {
  const { entry, bodies, refusedBy } = asked;
  const isRefused = entry.status >= 400 || entry.codes.length > 0;
  const faults = isRefused && !entry.played ? faultsOf(entry, bodies) : [];
  return {
    subject: "request",
    id: entry.interactionId,
    summary: summaryOf(entry, refusedBy),
    faults,
    signature: signatureOf(asked),
    facts: [],
    history: [],
    next: faults.find(({ next }) => next !== null)?.next ?? usualNext(entry),
  };
}

function summaryOf(entry: LogEntry, refusedBy: string | null): string {
  const { played } = entry;
  const said = answerOf(entry, refusedBy);
  if (!played) return said;
  return `${said} But the sandbox played ${played.name} on the client: ${played.text}`;
}

function answerOf(entry: LogEntry, refusedBy: string | null): string {
  const { method, path, status, codes, isReplay } = entry;
  const asked = `${method} ${path}`;
  if (status < 400 && codes.length === 0) {
    return isReplay
      ? `${asked} was answered with ${status}, and repeats the answer to an earlier request with the same key.`
      : `${asked} was answered with ${status}.`;
  }
  const by = refusedBy === null ? "" : `, by the check ${refusedBy}`;
  const why = codes.length === 0 ? "" : `: ${codes.join(", ")}`;
  return `${asked} was rejected with ${status}${by}${why}.`;
}

function usualNext({ status, operation, played, clientId }: LogEntry): string {
  if (played) return `Read how the client coped: \`./aldgate robust report ${clientId ?? ""}\`.`;
  if (status < 400) return "Nothing is wrong with this request.";
  if (status === 404 && operation === null) {
    return "Check the path: `./aldgate routes` lists every operation that this bank serves.";
  }
  if (status === 429) return "Wait for the number of seconds in Retry-After, then send it again.";
  if (status >= 500) return "Send the same request again later, with the same idempotency key.";
  return "Read the message of the answer, and correct the request.";
}

type AnswerError = { ErrorCode?: string; Message?: string; Path?: string };

/** The faults of an answer; only their codes if its body is not kept. */
function faultsOf(entry: LogEntry, bodies: LoggedBodies | null): ExplainedFault[] {
  const answer = parse(bodies?.answer);
  const errors = Array.isArray(answer?.Errors) ? (answer.Errors as AnswerError[]) : [];
  if (errors.length > 0) {
    return errors.map(({ ErrorCode, Message, Path }) =>
      explained(codeOf(ErrorCode, entry.codes), {
        expected: Message ?? null,
        where: Path ?? null,
        found: Path === undefined ? null : foundAt(Path, bodies),
      }),
    );
  }
  const said = answer?.error_description ?? answer?.message ?? challengeOf(bodies);
  const expected = typeof said === "string" ? said : null;
  // the last code is the most exact one: a reason, or the id of a rule
  const code = entry.codes.at(-1) ?? String(entry.status);
  return [explained(code, { expected, where: null, found: null })];
}

/** A fault by its code, with what stands behind it. */
export function explained(
  code: string,
  said: Pick<ExplainedFault, "expected" | "where" | "found">,
): ExplainedFault {
  const advice = adviceOn(code);
  const meaning = Object.hasOwn(refusalCodes, code)
    ? refusalCodes[code as keyof typeof refusalCodes].text
    : null;
  const { rules = [], sections = [], next = null } = advice ?? {};
  return { code, meaning, ...said, rules, sections, next };
}

/** The code of the v4 code set: v3.1 answers with the long names. */
function codeOf(shown: string | undefined, codes: readonly string[]): string {
  if (shown === undefined || Object.hasOwn(refusalCodes, shown)) return shown ?? codes[0] ?? "";
  const named = Object.entries(refusalCodes).find(([, { name }]) => name === shown)?.[0];
  return named ?? codes[0] ?? shown;
}

function challengeOf(bodies: LoggedBodies | null): string | null {
  const challenge = bodies?.answerHeaders["www-authenticate"] ?? "";
  return /error_description="([^"]*)"/.exec(challenge)?.[1] ?? null;
}

function parse(text: string | null | undefined): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const longestFound = 200;

/** The value that a request has at the path of a fault: in its body, header or JOSE header. */
function foundAt(path: string, bodies: LoggedBodies | null): string | null {
  if (bodies === null) return null;
  const header = bodies.requestHeaders[path.toLowerCase()];
  if (header !== undefined) return beginningOf(header, longestFound);
  const jose = parse(joseHeader(bodies.requestHeaders["x-jws-signature"]));
  if (jose && Object.hasOwn(jose, path)) {
    return beginningOf(JSON.stringify(jose[path]), longestFound);
  }
  let at: unknown = parse(bodies.request);
  for (const name of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return null;
    at = (at as Record<string, unknown>)[name];
  }
  return at === undefined ? null : beginningOf(JSON.stringify(at), longestFound);
}

const joseHeader = (signature = ""): string =>
  Buffer.from(signature.split(".", 1)[0] ?? "", "base64url").toString();

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
