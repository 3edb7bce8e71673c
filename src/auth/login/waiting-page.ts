import type { FastifyReply, FastifyRequest } from "fastify";
import { checkSeconds } from "#src/pages/asked-factor.ts";

/** The query of a page: what the customer has asked for. */
type Query = { check?: unknown };

/**
 * The address of the form of a page that may wait for an answer in the bank's app; and, if the page
 * loads itself again, the address of the page which does not.
 */
type Address = { action: string; checksUntil: string | null };

// the customer has asked that the page does not check by itself
const byHand = "by-hand";

/** Returns the addresses of a page, given its path and whether it waits. */
export function addressOf(path: string, waits: boolean, query: Query): Address {
  if (!waits) return { action: path, checksUntil: null };
  const stopped = `${path}${path.includes("?") ? "&" : "?"}check=${byHand}`;
  if (query.check === byHand) return { action: stopped, checksUntil: null };
  return { action: path, checksUntil: stopped };
}

/**
 * Makes the browser load a page again every few seconds, so that the page needs no script. The
 * customer can stop it. Source: WCAG 2.2 criterion 2.2.1.
 */
export const loadAgain = (reply: FastifyReply): FastifyReply =>
  reply.header("refresh", String(checkSeconds));

/** Returns the addresses of a page, and makes the browser load it again if it waits. */
export function waitingPage(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  waits: boolean,
): Address {
  const address = addressOf(path, waits, request.query as Query);
  if (address.checksUntil !== null) loadAgain(reply);
  return address;
}
