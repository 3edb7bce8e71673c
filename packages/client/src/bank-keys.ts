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

/** The keys of a bank, which are fetched when they are needed. */
export type PublishedKeys = {
  /** Any error but NoAnswerError is about a token and the known keys; one may be broken. */
  find: BankKeys;
  /** Gets the keys as they were fetched last. Throws NoAnswerError if there are none now. */
  known(): Promise<JSONWebKeySet>;
  /** Fetches the keys again, after a pause if they have just been fetched. */
  fetchAgain(): Promise<JSONWebKeySet>;
};

/** Prepares the keys that a bank publishes at this address. */
export function openKeys(
  address: string,
  deps: { fetch: Fetch; retryOptions: RetryOptions },
): PublishedKeys {
  let fetches = 0;
  const remote = createRemoteJWKSet(new URL(address), {
    cooldownDuration,
    [customFetch]: (url, { method, headers, signal }) => {
      fetches += 1;
      return fetchSet(deps, url, { method, headers: Object.fromEntries(headers), signal });
    },
  });

  /** Returns when a fetch has ended that began after this many. */
  async function fetchAfter(count: number): Promise<void> {
    while (fetches === count) {
      if (remote.coolingDown) await pause(cooldownDuration);
      else await remote.reload();
    }
  }

  const found = (): JSONWebKeySet => remote.jwks() ?? { keys: [] };
  return {
    async find(header, token) {
      const before = fetches;
      return await remote(header, token).catch(async (error) => {
        if (!(error instanceof errors.JWKSNoMatchingKey) || fetches > before) throw error;
        // the bank may have published the key since we asked
        await fetchAfter(before);
        return remote(header, token);
      });
    },
    async known() {
      if (!remote.fresh) await remote.reload();
      return found();
    },
    async fetchAgain() {
      await fetchAfter(fetches);
      return found();
    },
  };
}
