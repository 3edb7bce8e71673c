import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";

/** How far a customer has come in the bank's own channel. */
export type Session = {
  state: "new" | "factor" | "in";
  /** Null before the first factor. */
  customer: { customerId: string; name: string } | null;
  /** Another after each step of logging in, and with it the form token. */
  nonce: string;
  /** Seconds since 1970. */
  startedAt: number;
  seenAt: number;
};

/** Reads and writes the sessions of the own channel. */
export type Sessions = {
  /** The living session that the request's cookie holds, or null. */
  read(request: FastifyRequest): Session | null;
  /** Starts the session's idle time again and gives it to the browser. */
  keep(reply: FastifyReply, session: Session): void;
  start(reply: FastifyReply, state: Session["state"], customer: Session["customer"]): Session;
  end(reply: FastifyReply): void;
  /** The token that every form of this session holds. */
  formToken(session: Session): string;
  holdsToken(session: Session, given: string | null): boolean;
};

// Source: SCA-RTS art. 4(3)(d): five minutes without activity.
const idleSeconds = 300;
const longestSeconds = 3600;
const cookieName = "aldgate-bank";

/** Sessions in a signed cookie: nothing is stored, and time is the clock's. */
export function createSessions(secret: string, clock: Clock, secure: boolean): Sessions {
  const key = createHmac("sha256", secret).update("own pages").digest();
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const seconds = () => Math.floor(clock.now().epochMilliseconds / 1000);
  const set = (reply: FastifyReply, value: string, age: number) =>
    reply.header(
      "set-cookie",
      `${cookieName}=${value}; Path=/bank; Max-Age=${age}; HttpOnly; SameSite=Strict` +
        (secure ? "; Secure" : ""),
    );
  const keep: Sessions["keep"] = (reply, session) => {
    const body = Buffer.from(JSON.stringify({ ...session, seenAt: seconds() }));
    const text = body.toString("base64url");
    set(reply, `${text}.${sign(`session ${text}`)}`, longestSeconds);
  };
  const formToken = (session: Session) => sign(`form ${session.nonce}`);
  return {
    read(request) {
      const [text, signature] = cookieOf(request).split(".");
      if (!text || !signature || !isEqual(signature, sign(`session ${text}`))) return null;
      // signed by us, so it is what `keep` wrote
      const session = JSON.parse(Buffer.from(text, "base64url").toString()) as Session;
      const now = seconds();
      const alive =
        now - session.seenAt <= idleSeconds && now - session.startedAt <= longestSeconds;
      return alive ? session : null;
    },
    keep,
    start(reply, state, customer) {
      const now = seconds();
      const session = { state, customer, nonce: newId("form"), startedAt: now, seenAt: now };
      keep(reply, session);
      return session;
    },
    end: (reply) => void set(reply, "", 0),
    formToken,
    holdsToken: (session, given) => given !== null && isEqual(given, formToken(session)),
  };
}

function cookieOf(request: FastifyRequest): string {
  for (const part of (request.headers.cookie ?? "").split("; ")) {
    if (part.startsWith(`${cookieName}=`)) return part.slice(cookieName.length + 1);
  }
  return "";
}

function isEqual(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
