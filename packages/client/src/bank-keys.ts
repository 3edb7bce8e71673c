import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
} from "jose";
import { NoAnswerError } from "./errors.ts";
import { inUsualForm } from "./odd-answers.ts";
import { pause, type RetryOptions, readRetryAfter, retry } from "./retry.ts";
import { ConnectionLost, type Fetch, type FetchOptions } from "./transport.ts";

/** The keys that a bank publishes. Throws NoAnswerError if they cannot be fetched now. */
export type BankKeys = (
  ...given: Parameters<ReturnType<typeof createRemoteJWKSet>>
) => ReturnType<ReturnType<typeof createRemoteJWKSet>>;

const busy = [429, 500, 502, 503, 504];

/**
 * Reads a document that the bank publishes, again if the bank has no time. Throws NoAnswerError if
 * it cannot be read now, so that nobody takes this for the answer to another request, or for a
 * forgery.
 */
export async function readDocument(
  { fetch, retryOptions }: { fetch: Fetch; retryOptions: RetryOptions },
  url: string,
  options: FetchOptions,
): Promise<Response> {
  const { method, signal } = options;
  const unread = (why: Error) => new NoAnswerError({ ...nothingToRepeat, method, url }, why);
  return retry<Response>(retryOptions, signal, async () => {
    try {
      const answer = await fetch(url, options);
      if (!busy.includes(answer.status)) return { done: await inUsualForm(answer) };
      const retryAfterMs = readRetryAfter(answer.headers.get("retry-after"), Date.now());
      const why = new Error(`the status is ${answer.status}`);
      return { again: () => Promise.reject(unread(why)), retryAfterMs };
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return { again: () => Promise.reject(unread(error)), retryAfterMs: null };
    }
  });
}

const nothingToRepeat = { idempotencyKey: null, interactionId: null };

// a bank may change its keys without notice; forged tokens must not make us ask all the time
const cooldownDuration = 1000;

/** Fetches a set of keys. Throws NoAnswerError if what comes is none. */
async function fetchSet(
  deps: { fetch: Fetch; retryOptions: RetryOptions },
  url: string,
  options: FetchOptions,
): Promise<Response> {
  try {
    const answer = await readDocument(deps, url, options);
    if (answer.status !== 200) throw new Error(`the status is ${answer.status}`);
    const set = (await answer.json()) as JSONWebKeySet;
    createLocalJWKSet(set);
    return Response.json(set);
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    throw new NoAnswerError({ ...nothingToRepeat, method: "GET", url }, error);
  }
}

/**
 * Prepares the keys of a bank, which are fetched when they are needed. Any error but NoAnswerError
 * is about a token and the keys that are known, of which one may be broken.
 */
export function openKeys(
  address: string,
  deps: { fetch: Fetch; retryOptions: RetryOptions },
): BankKeys {
  const known = createRemoteJWKSet(new URL(address), {
    cooldownDuration,
    [customFetch]: (url, { method, headers, signal }) =>
      fetchSet(deps, url, { method, headers: Object.fromEntries(headers), signal }),
  });
  return async (header, token) => {
    const isCooling = known.coolingDown;
    return await known(header, token).catch(async (error) => {
      if (!(isCooling && error instanceof errors.JWKSNoMatchingKey)) throw error;
      // the bank may have published the key since we asked
      await pause(cooldownDuration);
      return known(header, token);
    });
  };
}
