import type { FastifyInstance } from "fastify";
import { RegistrationRefusal } from "./refusal.ts";
import type { RegistrationSettings } from "./registration-settings.ts";

/** Largest request in bytes. Source: R-069. */
export const longestRequest = 65_536;

const josePattern = /^application\/(jose|jwt)\s*(;|$)/i;
const jsonPattern = /^application\/json\s*(;|$)/i;

/** Makes the routes of a scope read bodies of any type as bytes. */
export function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: "buffer", bodyLimit: longestRequest } as const;
  scope.addContentTypeParser("*", options, (_request, body, done) => done(null, body));
}

/**
 * Returns the JWS in a body. Its type must be application/jose or application/jwt or, by a setting,
 * application/json with the JWS as a string. Throws RegistrationRefusal. Source.
 */
export function takeJws(
  contentType: string | undefined,
  body: unknown,
  { acceptsJson }: Pick<RegistrationSettings, "acceptsJson">,
): string {
  const text = Buffer.isBuffer(body) ? body.toString("latin1") : "";
  if (josePattern.test(contentType ?? "")) return text;
  if (acceptsJson && jsonPattern.test(contentType ?? "")) {
    const value = parse(text);
    if (typeof value === "string") return value;
    throw refuse(400, "R-016", "The body must be the request JWS as a JSON string.");
  }
  const types = `application/jose or application/jwt${acceptsJson ? " or application/json" : ""}`;
  throw refuse(415, "R-015", `Content-Type is ${contentType ?? "absent"}; it must be ${types}.`);
}

const refuse = (status: number, rule: string, description: string): RegistrationRefusal =>
  new RegistrationRefusal(status, { rule, error: "invalid_client_metadata", description });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
