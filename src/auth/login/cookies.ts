import type { FastifyReply, FastifyRequest } from "fastify";

/** A cookie that scripts cannot read, sent for the whole site. */
export type Cookie = { name: string; sameSite: "Strict" | "Lax"; secure: boolean };

// A browser accepts a cookie with this prefix only over TLS, without Domain and for the whole site.
const nameOf = ({ name, secure }: Cookie): string => (secure ? `__Host-${name}` : name);

/** Returns the value of a request's cookie, or an empty string. */
export const readCookie = (request: FastifyRequest, cookie: Cookie): string =>
  cookieNamed(request, nameOf(cookie));

/** Returns the value of the first cookie with that full name, or an empty string. */
export function cookieNamed(request: FastifyRequest, name: string): string {
  const start = `${name}=`;
  for (const part of (request.headers.cookie ?? "").split("; ")) {
    if (part.startsWith(start)) return part.slice(start.length);
  }
  return "";
}

/** Sets a cookie for a number of seconds; 0 deletes it. */
export function writeCookie(
  reply: FastifyReply,
  cookie: Cookie,
  value: string,
  seconds: number,
): void {
  reply.header(
    "set-cookie",
    `${nameOf(cookie)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; ` +
      `SameSite=${cookie.sameSite}${cookie.secure ? "; Secure" : ""}`,
  );
}
