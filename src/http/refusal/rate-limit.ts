/** The state of a bucket after a request. */
type RateDecision = {
  allowed: boolean;
  /** Whole requests left. */
  left: number;
  /** Seconds, at least 1, until the bucket is full again or, when it is empty, has one request. */
  seconds: number;
};

/** Takes one request, or another amount, from a client's bucket; `now` is in milliseconds. */
export type RateBuckets = {
  take(clientId: string, now: number, amount?: number): RateDecision;
  /** The headers that give a client its policy and the remaining requests. */
  headers(decision: RateDecision): Record<string, string>;
};

/** Limits the requests per second of a client to a group of endpoints. */
export type RateLimiter = {
  /** The buckets of a group, made once per group; null if there is no limit. */
  group(name: string): RateBuckets | null;
};

type Bucket = { tokens: number; at: number };

const windowSeconds = 1;
const manyBuckets = 10_000;

/**
 * Makes a rate limiter with token buckets in memory: `perSecond` requests per client and group, 0
 * for no limit. Every process counts separately. Each call passes in the time. Source: P-023,
 * A-028, D-401-06: header syntax of draft-ietf-httpapi-ratelimit-headers.
 */
export function createRateLimiter(perSecond: number): RateLimiter {
  const groups = new Map<string, RateBuckets>();
  return {
    group(name) {
      if (perSecond === 0) return null;
      let buckets = groups.get(name);
      if (!buckets) {
        buckets = createBuckets(name, { perSecond, burst: perSecond });
        groups.set(name, buckets);
      }
      return buckets;
    },
  };
}

/** How fast buckets are refilled, and how many requests a full bucket allows at once. */
type BucketOptions = { perSecond: number; burst: number };

/** Makes the buckets of a group. */
export function createBuckets(name: string, { perSecond, burst }: BucketOptions): RateBuckets {
  const buckets = new Map<string, Bucket>();
  const policy = `"${name}";q=${perSecond};w=${windowSeconds}`;
  const refill = (bucket: Bucket, now: number): void => {
    // the clock may go back, between processes or when it is set: that refills nothing
    const elapsed = Math.max(0, now - bucket.at) / 1000;
    bucket.tokens = Math.min(burst, bucket.tokens + elapsed * perSecond);
    bucket.at = now;
  };
  let droppedAt = Number.NEGATIVE_INFINITY;
  const dropFull = (now: number): void => {
    droppedAt = now;
    for (const [clientId, bucket] of buckets) {
      refill(bucket, now);
      if (bucket.tokens >= burst) buckets.delete(clientId);
    }
  };
  return {
    take(clientId, now, amount = 1) {
      let bucket = buckets.get(clientId);
      if (!bucket) {
        // a caller with many addresses must not make each request look at all of them
        if (buckets.size >= manyBuckets && now - droppedAt > windowSeconds * 1000) dropFull(now);
        bucket = { tokens: burst, at: now };
        buckets.set(clientId, bucket);
      }
      refill(bucket, now);
      if (bucket.tokens < amount) {
        const seconds = Math.ceil((amount - bucket.tokens) / perSecond);
        return { allowed: false, left: 0, seconds };
      }
      bucket.tokens -= amount;
      const seconds = Math.max(1, Math.ceil((burst - bucket.tokens) / perSecond));
      return { allowed: true, left: Math.floor(bucket.tokens), seconds };
    },
    headers: ({ left, seconds }) => ({
      "ratelimit-policy": policy,
      ratelimit: `"${name}";r=${left};t=${seconds}`,
    }),
  };
}
