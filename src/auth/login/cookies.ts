import type { FastifyReply, FastifyRequest } from "fastify";

/** A cookie that scripts cannot read, sent for the whole site. */
type Cookie = { name: string; sameSite: "Strict" | "Lax"; secure: boolean };

/**
 * The cookie of a bank at this address. A browser sends a host's cookies to each of its ports, so
 * the name has the port: banks on one machine, such as the worlds of a sandbox, do not overwrite
 * each other's.
 */
export function cookieOf(name: string, sameSite: Cookie["sameSite"], publicUrl: string): Cookie {
  const { port, protocol } = new URL(publicUrl);
  const secure = protocol === "https:";
  // A browser accepts a cookie with this prefix only over TLS, without Domain, for the whole site.
  const prefix = secure ? "__Host-" : "";
  return { name: `${prefix}${name}${port === "" ? "" : `-${port}`}`, sameSite, secure };
}

/** Returns the value of a request's cookie, or an empty string. */
export const readCookie = (request: FastifyRequest, cookie: Cookie): string =>
  cookieNamed(request, cookie.name);

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
    `${cookie.name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; ` +
      `SameSite=${cookie.sameSite}${cookie.secure ? "; Secure" : ""}`,
  );
}
