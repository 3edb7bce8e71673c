import { requestStepsOf } from "#src/http/admit.ts";
import { ApiError, type Fault } from "#src/http/api-error.ts";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import { interactionIdOf } from "#src/http/headers/request-headers.ts";
import type { Operation } from "#src/http/operation.ts";
import { parseBody } from "#src/http/receive-body.ts";
import { describeMethod, unservedPaths } from "#src/http/refusal/unserved.ts";
import type { FindOperation } from "#src/http/register-operations.ts";
import {
  isSigned,
  type SignatureExpectation,
  signatureHeader,
  unsigned,
} from "#src/http/signature/jws.ts";
import { plainText } from "#src/lib/plain-text.ts";
import { explained } from "#src/request-log/explain/explain-request.ts";
import type { ExplainedFault } from "#src/request-log/explain/explanation.ts";
import type { JudgedCheck, JudgedText } from "#src/request-log/explain/judged-text.ts";
import { type ExaminedSignature, examineSignature } from "#src/request-log/explain/signature.ts";
import type { SigningFacts } from "#src/request-log/explain/signing-facts.ts";
import { codeIn } from "#src/request-log/explain/version-words.ts";
import type { PastedRequest } from "./recognise.ts";

/** What the judge of messages knows of the bank. */
export type MessageSources = {
  operations: readonly Operation[];
  findOperation: FindOperation;
  trustAnchors: readonly string[];
  /** The bank's and the machine's time, in seconds. */
  times(): { bankTime: number; realTime: number };
};

/** A signed body; the signer is null if no client of the bank fits. */
type SignedBody = { header: string; body: string; signing: SigningFacts | null };

type Found = { checks: JudgedCheck[]; faults: ExplainedFault[] };

/** The steps that need a token, which nobody should paste. */
const unjudged: ReadonlySet<string> = new Set([
  "token",
  "grant",
  "scope",
  "consent-version",
  "rate-limit",
]);

/** Judges a request to an API, as far as it can be judged without its token. */
export function judgeRequest(
  request: PastedRequest,
  signing: SigningFacts | null,
  sources: MessageSources,
): JudgedText {
  const { method, path, headers, body } = request;
  const found = sources.findOperation(method, path);
  if (!found) return unserved(request, sources);
  const { operation } = found;
  const { checks, faults } = headerChecks(operation, request);
  let signature: ExaminedSignature | null = null;
  const header = headers[signatureHeader];
  if (isSigned(operation, headers) && operation.request !== null) {
    if (header === undefined) {
      refuse({ checks, faults }, "signature", [unsigned(expectationOf(signing, sources))]);
    } else {
      signature = judgeSignature({ header, body, signing }, sources);
      note({ checks, faults }, signature);
    }
  }
  if (operation.request !== null && !operation.upload) {
    judgeBody(operation, body, { checks, faults });
  }
  const names = (operation.steps ?? []).filter((name) => name !== "schema");
  const later = "It needs the consent and the state of the bank: send the request and explain it.";
  checks.push(...names.map((name): JudgedCheck => ({ name, result: "not judged", detail: later })));
  return {
    subject: "message",
    id: operation.operationId,
    summary: `${method} ${path} is ${operation.operationId} of ${operation.api.id}. ${
      faults.length === 0
        ? "Nothing that can be judged here is wrong."
        : "The bank would refuse it."
    }`,
    checks,
    faults: faults.map((fault) => ({ ...fault, code: codeIn(operation.api, fault.code, 400) })),
    signature,
    facts: [],
    next: faults[0]?.next ?? "Send it, and ask `./aldgate explain` about the answer.",
  };
}

/** Judges a body with its detached signature. */
export function judgeSigned(signed: SignedBody, sources: MessageSources): JudgedText {
  const found: Found = { checks: [], faults: [] };
  const signature = judgeSignature(signed, sources);
  note(found, signature);
  return {
    subject: "message",
    id: signature.keyNamed ?? "",
    summary: `A body of ${signature.verified.bodyBytes} bytes with a detached signature. ${
      signature.isValid ? "The signature is valid." : "The bank would refuse the signature."
    }`,
    ...found,
    signature,
    facts: [],
    next: found.faults[0]?.next ?? "Nothing is wrong with this signature.",
  };
}

/** What the signature of a body must be. */
function expectationOf(
  signing: SigningFacts | null,
  { trustAnchors, times }: MessageSources,
): Omit<SignatureExpectation, "loadKeys"> {
  const { organisationId = "", softwareId = "" } = signing ?? {};
  return { organisationId, softwareId, certificateSubject: null, trustAnchors, ...times() };
}

/** The signature of a body; a line break that only the pasting has added does not count. */
function judgeSignature(
  { header, body, signing }: SignedBody,
  sources: MessageSources,
): ExaminedSignature {
  const { keys = new Map() } = signing ?? {};
  const expectation = expectationOf(signing, sources);
  const forms = new Set([body, body.trimEnd(), body.replaceAll("\r\n", "\n").trimEnd()]);
  const examined = [...forms].map((form) =>
    examineSignature({ header, body: Buffer.from(form), expectation, keys }),
  );
  // safe: the set has at least the body itself
  return examined.find(({ isValid }) => isValid) ?? (examined.at(-1) as ExaminedSignature);
}

function note(found: Found, signature: ExaminedSignature): void {
  if (signature.isValid) {
    found.checks.push({ name: "signature", result: "passed", detail: null });
    return;
  }
  const { mistake, faults } = signature;
  const all: Fault[] =
    faults.length > 0
      ? faults.map(({ code, path, message }) => ({
          code: code as Fault["code"],
          message,
          ...(path === null ? {} : { path }),
        }))
      : [{ code: "U015", path: signatureHeader, message: mistake ?? "" }];
  refuse(found, "signature", all);
}

function refuse({ checks, faults }: Found, name: string, all: readonly Fault[]): void {
  checks.push({ name, result: "refused", detail: all.map(({ message }) => message).join(" ") });
  for (const { code, path, message } of all) {
    faults.push(explained(code, { message, where: path ?? null, found: null }));
  }
}

/** The steps of the operation up to its body. */
function headerChecks(operation: Operation, { headers }: PastedRequest): Found {
  const found: Found = { checks: [], faults: [] };
  const { interactionId } = operation.api.headers;
  const { malformed } = interactionIdOf({ headers }, null, interactionId);
  for (const { name, check } of requestStepsOf(operation)) {
    if (name === "body") continue;
    if (unjudged.has(name)) {
      const detail = "It needs the access token, which is a secret: do not paste it.";
      found.checks.push({ name, result: "not judged", detail });
      continue;
    }
    try {
      // safe: the other steps read only these members
      check({ operation, input: { headers }, isIdMalformed: malformed } as never);
      found.checks.push({ name, result: "passed", detail: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(found, name, error.faults as Fault[]);
    }
  }
  return found;
}

function judgeBody(operation: Operation, body: string, found: Found): void {
  let parsed: unknown;
  try {
    parsed = parseBody(Buffer.from(body));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refuse(found, "body", error.faults as Fault[]);
    return;
  }
  found.checks.push({ name: "body", result: "passed", detail: null });
  if (operation.request === null) return;
  const isPlain = /^(pisp|cbpii)/.test(operation.api.id);
  const schema = compileSchema(operation.request, isPlain ? { characters: plainText } : {});
  const faults = judge(schema, parsed);
  if (faults.length > 0) refuse(found, "schema", faults);
  else found.checks.push({ name: "schema", result: "passed", detail: null });
}

const methods = ["GET", "POST", "PUT", "DELETE"];

function unserved({ method, path }: PastedRequest, sources: MessageSources): JudgedText {
  const others = methods.filter((other) => sources.findOperation(other, path) !== undefined);
  const message =
    others.length > 0
      ? describeMethod(others.join(", "))
      : unservedPaths(sources.operations, "sandbox")(path);
  const found: Found = { checks: [], faults: [] };
  refuse(found, "path", [{ code: "U011", message }]);
  const near = sources.operations.find(({ api }) => path.startsWith(`${api.basePath}/`));
  const codeOf = (code: string) => (near ? codeIn(near.api, code, 400) : code);
  return {
    subject: "message",
    id: "",
    summary: `No operation of the bank serves ${method} ${path}.`,
    checks: found.checks,
    faults: found.faults.map((fault) => ({ ...fault, code: codeOf(fault.code) })),
    signature: null,
    facts: [],
    next: "Check the method and the path: `./aldgate routes` lists every operation.",
  };
}
