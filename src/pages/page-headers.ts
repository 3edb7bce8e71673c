const common = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
};

const policy = (more: string): string =>
  `default-src 'none'; style-src 'self'; img-src 'self'; ${more}form-action 'self'; ` +
  "base-uri 'none'; frame-ancestors 'none'";

/**
 * Headers of every customer page: nothing is cached, framed or loaded from another origin, and no
 * script runs, unless the page asks for a passkey. A form must not end in a redirect to another
 * origin, because browsers check redirects against `form-action`: use `returningPage` instead.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...common,
  "content-security-policy": policy(""),
};

/** The policy of a page that asks for a passkey: our own script, and nothing else. */
export const passkeyPolicy = policy("script-src 'self'; ");

/**
 * Headers of the documentation, whose own script may call this origin. It is the same for every
 * reader, so it may be kept, and is asked for again with its ETag.
 */
export const portalHeaders: Readonly<Record<string, string>> = {
  ...common,
  "cache-control": "public, no-cache",
  "content-security-policy": policy("script-src 'self'; connect-src 'self'; "),
};
