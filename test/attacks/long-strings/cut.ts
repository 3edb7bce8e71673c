/** Shortens a text and keeps its last character, without which most shapes are harmless. */
export const cut = (text: string, length: number): string =>
  text.length > length ? text.slice(0, length - 1) + text.slice(-1) : text;

/**
 * Writes a body with a text, which is shortened until the body has at most so many bytes: the bank
 * does not read a larger one at all, so the string would reach nothing.
 */
export async function fitBody(
  text: string,
  mostBytes: number,
  write: (text: string) => Buffer | Promise<Buffer>,
): Promise<Buffer> {
  let body = await write(text);
  let length = text.length;
  while (body.length > mostBytes && length > 1) {
    length = Math.floor(Math.min(length * (mostBytes / body.length), length * 0.95));
    body = await write(cut(text, length));
  }
  return body;
}

/** The most bytes that the bank reads of a body. A larger one is a finding, for its answer. */
export const mostBytes = {
  /** A form of the authorization server. */
  oauth: 57_344,
  /** A form of a customer's page. */
  page: 16_384,
  /** The JWS of a registration. */
  registration: 65_536,
  /** A body of the management listener, and of the sandbox's directory. */
  small: 4096,
  /** Any other body. */
  usual: 110_000,
} as const;
