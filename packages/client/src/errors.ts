/** A fault that the bank names in an answer. */
export type BankFault = {
  /** The bank's code: `U008`, or `UK.OBIE.Resource.ConsentMismatch` in v3.1. */
  code: string;
  message?: string;
  /** The member of the request that is wrong. */
  path?: string;
  url?: string;
};

/** The facts of an answer with which the bank refused. */
type RefusedAnswer = {
  method: string;
  url: string;
  status: number;
  interactionId: string | null;
  faults: BankFault[];
  /** The body of the answer: parsed if it is JSON, otherwise as text. */
  body: unknown;
};

/** The bank refused a call. The message has everything that the bank said. */
export class BankError extends Error {
  override readonly name = "BankError";
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Name this id when you ask the bank. */
  readonly interactionId: string | null;
  readonly faults: BankFault[];
  /** The code of the first fault; null if the answer has none. */
  readonly code: string | null;
  /** The path of the first fault. */
  readonly path: string | null;
  readonly body: unknown;

  constructor(answer: RefusedAnswer) {
    super(describe(answer));
    this.method = answer.method;
    this.url = answer.url;
    this.status = answer.status;
    this.interactionId = answer.interactionId;
    this.faults = answer.faults;
    this.code = answer.faults[0]?.code ?? null;
    this.path = answer.faults[0]?.path ?? null;
    this.body = answer.body;
  }
}

/** The authorization server refused, or the customer did not approve. */
export class AuthorisationError extends Error {
  override readonly name = "AuthorisationError";
  /** The OAuth error, such as `invalid_grant` or `access_denied`. */
  readonly error: string;
  readonly description: string | null;
  /** Null if the error came with the customer's browser. */
  readonly status: number | null;

  constructor(
    facts: { error: string; description: string | null; status: number | null },
    cause?: unknown,
  ) {
    super(`${facts.error}: ${facts.description ?? "the bank gives no reason"}`, { cause });
    this.error = facts.error;
    this.description = facts.description;
    this.status = facts.status;
  }
}

/** An answer, a token or an event is not what the bank should have sent: do not trust it. */
export class VerificationError extends Error {
  override readonly name = "VerificationError";
  readonly interactionId: string | null;

  constructor(message: string, interactionId: string | null = null, cause?: unknown) {
    super(message, { cause });
    this.interactionId = interactionId;
  }
}

/** A request that got no answer. */
type UnansweredRequest = {
  method: string;
  url: string;
  idempotencyKey: string | null;
  interactionId: string | null;
};

/**
 * No answer arrived, or none that can be verified now, so it is unknown whether the bank has
 * carried out the request.
 */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  readonly method: string;
  readonly url: string;
  /** Repeat the request with this key: the bank carries it out once. */
  readonly idempotencyKey: string | null;
  /** Null at the authorization server. */
  readonly interactionId: string | null;

  constructor(facts: UnansweredRequest, cause: unknown) {
    const { method, url, idempotencyKey, interactionId } = facts;
    const again = idempotencyKey ? ` Repeat it with the idempotency key ${idempotencyKey}.` : "";
    const id = interactionId ? ` (interaction id ${interactionId})` : "";
    const said = (cause as Error).message;
    // an answer whose signature cannot be verified now names the request for the keys
    const why =
      cause instanceof NoAnswerError ? ` that can be verified now: ${said}` : `: ${said}.`;
    super(`${method} ${url} got no answer${why}${again}${id}`, { cause });
    this.method = method;
    this.url = url;
    this.idempotencyKey = idempotencyKey;
    this.interactionId = interactionId;
  }
}

/** Reads the faults of an error body of the standard. Any other body has none. */
export function readFaults(body: unknown): BankFault[] {
  const errors = (body as { Errors?: unknown } | null)?.Errors;
  if (!Array.isArray(errors)) return [];
  return errors.map((one: Record<string, unknown>) => ({
    code: String(one.ErrorCode),
    ...(typeof one.Message === "string" ? { message: one.Message } : {}),
    ...(typeof one.Path === "string" ? { path: one.Path } : {}),
    ...(typeof one.Url === "string" ? { url: one.Url } : {}),
  }));
}

function describe({ method, url, status, faults, body, interactionId }: RefusedAnswer): string {
  const said = faults.map(({ code, path, message }) =>
    [code, path, message].filter((part) => part !== undefined).join(" "),
  );
  const text = said.length > 0 ? said.join("; ") : shorten(body);
  const id = interactionId === null ? "" : ` (interaction id ${interactionId})`;
  return `${method} ${url} was refused with ${status}: ${text}${id}`;
}

function shorten(body: unknown): string {
  if (body === undefined || body === "") return "the answer has no body";
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
