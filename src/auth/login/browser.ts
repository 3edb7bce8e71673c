import { isIPv6 } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hmacSha256, isSameText } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { firstOf } from "#src/lib/plain-text.ts";
import { cookieOf, readCookie, writeCookie } from "./cookies.ts";

/** The browser and address of a login attempt, as far as the bank can tell. */
export type Browser = {
  /** The caller's address; with IPv6 its network, which belongs to one subscriber. */
  address: string;
  /** The name of this browser if the customer has logged in with it before; otherwise null. */
  deviceOf(login: string): string | null;
  /** The name under which attempts on a login are counted, by which nobody finds the login. */
  countedAs(login: string): string;
};

/** The bank's app, which has no cookies, and authenticates its customers itself. */
export const appBrowser: Browser = {
  address: "app",
  deviceOf: () => null,
  countedAs: () => "app",
};

/** Recognises browsers in which a customer has logged in with both factors. */
export type Devices = {
  browserOf(request: FastifyRequest): Browser;
  /** Makes the browser known for that login. */
  remember(request: FastifyRequest, reply: FastifyReply, login: string): void;
};

const days = 180;
// a household's browser
const loginsAtMost = 4;

/** What identifies a login: letter case and outer space do not. */
const loginKey = (login: string): string => firstOf(login.trim().toLowerCase(), 100);

/**
 * Keeps the names of known browsers in a cookie that only the bank can make: one name per login.
 * Nothing is stored. Source: OWASP, Slow Down Online Guessing Attacks with Device Cookies.
 */
export function createDevices(secret: string, publicUrl: string): Devices {
  const cookie = cookieOf("aldgate-device", "Lax", publicUrl);
  const sign = hmacSha256(secret);
  // a key of its own, so that whoever reads a counted name cannot make a cookie of it
  const signCounted = hmacSha256(sign("attempts"));
  const mark = (id: string, login: string): string => sign(`${id} ${loginKey(login)}`);
  const isMarked = ([device = "", given = ""]: string[], login: string): boolean =>
    device.startsWith("device-") && isSameText(given, mark(device, login));
  const entriesOf = (request: FastifyRequest): string[][] =>
    readCookie(request, cookie)
      .split("~")
      .slice(0, loginsAtMost)
      .map((entry) => entry.split("."));
  const find = (request: FastifyRequest, login: string): string | null =>
    entriesOf(request).find((entry) => isMarked(entry, login))?.[0] ?? null;
  return {
    browserOf: (request) => ({
      address: networkOf(request.ip),
      deviceOf: (login) => find(request, login),
      countedAs: (login) => signCounted(loginKey(login)),
    }),
    remember(request, reply, login) {
      const id = find(request, login) ?? newId("device");
      const others = entriesOf(request).filter(([other = ""]) => other !== "" && other !== id);
      const entries = [[id, mark(id, login)], ...others].slice(0, loginsAtMost);
      const value = entries.map((entry) => entry.join(".")).join("~");
      writeCookie(reply, cookie, value, days * 86_400);
    },
  };
}

/** Returns an IPv4 address unchanged, and the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  // the URL parser writes an address in its one short form
  const [head = "", tail] = new URL(`http://[${address.split("%")[0]}]`).hostname
    .slice(1, -1)
    .split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - groups.length - rest.length }, () => "0");
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(":")}::/64`;
}
