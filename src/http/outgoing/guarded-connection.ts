import { Resolver } from "node:dns/promises";
import type { ClientRequest } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, rootCertificates } from "node:tls";
import { type AddressGuard, addressOf, isLoopbackHost } from "./address-guard.ts";

const nameMs = 2_000;

/** A client certificate with its chain, and its key; PEM texts. */
export type ClientPair = { cert: string; key: string };

/**
 * TLS options that verify servers against the public roots and `roots` (PEM text), and send a
 * client certificate if there is one. Throws if the certificate and its key cannot be used.
 */
export const secureOptions = (roots: string, client?: ClientPair) =>
  ({
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
    secureContext: createSecureContext({ ca: [...rootCertificates, roots], ...client }),
  }) as const;

/** Destroys a request that is not connected, or not finished, in time. */
export function limitConnecting(
  request: ClientRequest,
  { connectMs, totalMs }: { connectMs: number; totalMs: number },
): void {
  const end = (milliseconds: number, what: string): NodeJS.Timeout =>
    setTimeout(() => request.destroy(new Error(what)), milliseconds);
  const total = end(totalMs, `no response within ${totalMs / 1000} s`);
  const connecting = end(connectMs, `no connection within ${connectMs / 1000} s`);
  request.on("socket", (socket) => {
    if (request.reusedSocket) return clearTimeout(connecting);
    const event = "encrypted" in socket ? "secureConnect" : "connect";
    return socket.once(event, () => clearTimeout(connecting));
  });
  request.on("close", () => {
    clearTimeout(total);
    clearTimeout(connecting);
  });
}

/**
 * Returns why the bank must not send to a URL. Returns null if it may, or if the host is a name,
 * whose addresses are checked when it is looked up.
 */
export function mistakeOf(url: URL, guard: AddressGuard): string | null {
  const isLocal = guard.allowsLoopback && isLoopbackHost(url);
  if (url.protocol !== "https:" && !isLocal) return "the URL does not begin with https://";
  return forbiddenAddress(url, guard);
}

/**
 * Returns why the bank must not connect to the address in a URL. Returns null if it may, or if the
 * host is a name.
 */
export function forbiddenAddress(url: URL, guard: AddressGuard): string | null {
  const address = addressOf(url.hostname);
  if (isIP(address) === 0 || guard.allows(address)) return null; // a name is looked up first
  return `${address} is not a public address`;
}

/**
 * Returns the message of an error. If a connection failed at several addresses, returns the
 * message of the first failure.
 */
export function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return (first as Error).message || error.message || error.name;
}

/**
 * Resolves names without the thread pool that signatures use, so that a slow name server does not
 * delay other requests. The connection is made to the address that was checked.
 */
export function guardedLookup(guard: AddressGuard): LookupFunction {
  const resolver = new Resolver({ timeout: nameMs, tries: 2 });
  return (name, options, callback) => {
    addressesOf(resolver, name)
      .then((found) => {
        const allowed = found.filter(({ address }) => guard.allows(address));
        const [first] = allowed;
        if (!first) throw new Error(unusable(name, found));
        if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      })
      .catch((error: Error) => callback(error, ""));
  };
}

const unusable = (name: string, found: readonly { address: string }[]): string =>
  found.length === 0
    ? `the name ${name} has no address`
    : `${name} has no public address: ${found.map(({ address }) => address).join(", ")}`;

type Address = { address: string; family: 4 | 6 };

async function addressesOf(resolver: Resolver, name: string): Promise<Address[]> {
  // name servers do not resolve this name. Source: RFC 6761 section 6.3
  if (name === "localhost") return [of("127.0.0.1", 4), of("::1", 6)];
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return [
    ...(four.status === "fulfilled" ? four.value : []).map((address) => of(address, 4)),
    ...(six.status === "fulfilled" ? six.value : []).map((address) => of(address, 6)),
  ];
}

const of = (address: string, family: 4 | 6): Address => ({ address, family });
