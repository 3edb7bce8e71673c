import * as oidc from "openid-client";
import { AuthorisationError, NoAnswerError, VerificationError } from "./errors.ts";
import { readRetryAfter } from "./retry.ts";
import { ConnectionLost } from "./transport.ts";

/** Rethrows an error of the OAuth library as one of ours. */
export function asOurs(error: unknown): never {
  // the keys or the discovery document could not be read
  const { cause } = error as { cause?: unknown };
  if (cause instanceof NoAnswerError) throw cause;
  if (error instanceof ConnectionLost) {
    const { method, url } = error;
    throw new NoAnswerError({ method, url, idempotencyKey: null, interactionId: null }, error);
  }
  if (error instanceof oidc.ResponseBodyError) {
    const { error: code, error_description: description = null, status } = error;
    throw new AuthorisationError({ error: code, description, status }, error);
  }
  if (error instanceof oidc.AuthorizationResponseError) {
    const { error: code, error_description: description = null } = error;
    throw new AuthorisationError({ error: code, description, status: null }, error);
  }
  if (error instanceof oidc.WWWAuthenticateChallengeError) {
    const [challenge] = error.cause;
    const { error: code = "unauthorized", error_description: description = null } =
      challenge?.parameters ?? {};
    throw new AuthorisationError({ error: code, description, status: error.status }, error);
  }
  const answer = answerIn(error);
  if (answer) {
    const description = `the authorization server answered with the status ${answer.status}`;
    const facts = { error: "unexpected_answer", description, status: answer.status };
    throw new AuthorisationError(facts, error);
  }
  if (error instanceof oidc.ClientError) {
    const reason = (error.cause as Error | undefined)?.message ?? error.message;
    throw new VerificationError(`${error.message}: ${reason}`, null, error);
  }
  throw error;
}

/** An answer that did not come, or that says to come back later. */
type LateAnswer = {
  retryAfterMs: number | null;
  /** Whether the bank has said that it did not carry out the request. */
  isRefused: boolean;
};

/** Returns what an error says about trying again; null if that makes no sense. */
export function lateAnswer(error: unknown): LateAnswer | null {
  if (error instanceof ConnectionLost || (error as { code?: string }).code === "OAUTH_TIMEOUT") {
    return { retryAfterMs: null, isRefused: false };
  }
  const answer = answerIn(error) ?? (error as { response?: Response }).response;
  if (!answer || ![429, 500, 502, 503, 504].includes(answer.status)) return null;
  const retryAfterMs = readRetryAfter(answer.headers.get("retry-after"), Date.now());
  return { retryAfterMs, isRefused: [429, 503].includes(answer.status) };
}

const answerIn = (error: unknown): Response | null => {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Response ? cause : null;
};
