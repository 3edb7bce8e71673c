import { hmacSha256, isSameText } from "#src/lib/hash.ts";

/**
 * Signs the authorization server's cookies, in the interface of the package `keygrip`. That one
 * hides the time of a comparison by two more MACs under a random key; one comparison in constant
 * time is enough, because all signatures are equally long.
 */
export function cookieSignature(secret: string) {
  const sign = hmacSha256(secret);
  const verify = (data: string, given: string): boolean => isSameText(given, sign(data));
  return { sign, verify, index: (data: string, given: string) => (verify(data, given) ? 0 : -1) };
}
