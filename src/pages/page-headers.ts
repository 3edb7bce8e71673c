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
 * Headers of every page that a customer sees: nothing is cached, framed or loaded from elsewhere,
 * and no script runs. A form that is sent may not end in a redirect to another origin (browsers
 * hold redirects against `form-action`): answer it with `returningPage`.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...common,
  "content-security-policy": policy(""),
};

/** Headers of the API reference, whose own script may call this origin. */
export const referenceHeaders: Readonly<Record<string, string>> = {
  ...common,
  "content-security-policy": policy("script-src 'self'; connect-src 'self'; "),
};
