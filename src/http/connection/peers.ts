import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ClientTrust, createClientTrust } from "#src/certificates/client-trust.ts";
import type { DistinguishedName } from "#src/certificates/distinguished-name.ts";
import {
  type JudgedCertificate,
  judgeCertificate,
  malformed,
  type Presented,
  presentedOver,
} from "./client-certificate.ts";
import { type CertificateProxies, handedOnText, isProxy, readHandedOn } from "./handed-on.ts";

/** The peer of a request: its client certificate, and whether it is this machine. */
type Peer = {
  presented: Presented | null;
  /** The version of the trust with which the certificate was checked. */
  version: number;
  judged: JudgedCertificate;
  thumbprint: string | null;
  loopback: boolean;
};

/** How a mutual TLS listener checks client certificates, and which proxies forward them. */
type PeerRules = { trust: ClientTrust; proxies: CertificateProxies | null };

const rulesOfSocket = new WeakMap<Socket, PeerRules>();
const peers = new WeakMap<Socket, Peer>();
const nobody: PeerRules = {
  trust: createClientTrust("", { now: Temporal.Now.instant }),
  proxies: null,
};

// requests wait while the status of a new certificate is fetched, but not for long
const preparingMilliseconds = 5000;
const preparing = new WeakMap<Socket, Promise<void>>();

/** Begins a connection of the mutual TLS listener. */
export function beginPeer(socket: Socket, rules: PeerRules): void {
  rulesOfSocket.set(socket, rules);
  if (isFromProxy(socket, rules)) return;
  const status = prepare(rules.trust, peerOfSocket(socket, rules).presented);
  if (status === null) return;
  preparing.set(
    socket,
    status.finally(() => preparing.delete(socket)),
  );
}

/**
 * Waits until a request's certificate can be checked. Returns null if it can be checked now. Called
 * once for each request, so the clock is read here and not at each use of the certificate.
 */
export function untilJudged(request: IncomingMessage): Promise<void> | null {
  const { socket } = request;
  const rules = rulesOfSocket.get(socket) ?? nobody;
  rules.trust.noticeExpiry();
  if (!isFromProxy(socket, rules)) return preparing.get(socket) ?? null;
  return prepare(rules.trust, peerOf(request).presented);
}

/** The peer of a request. A proxy's own certificate is never used as its client's. */
export function peerOf(request: IncomingMessage): Peer {
  const { socket } = request;
  const rules = rulesOfSocket.get(socket) ?? nobody;
  const { trust, proxies } = rules;
  if (!proxies || !isFromProxy(socket, rules)) return peerOfSocket(socket, rules);
  const text = handedOnText(request.headers, proxies);
  return text === null ? judged(null, trust, false) : peerOfText(text, trust, proxies);
}

const isFromProxy = ({ remoteAddress }: Socket, { proxies }: PeerRules): boolean =>
  proxies !== null && isProxy(proxies, remoteAddress);

function peerOfSocket(socket: Socket, { trust }: PeerRules): Peer {
  const known = peers.get(socket);
  if (known?.version === trust.version) return known;
  const presented = known ? known.presented : presentedOver(socket);
  const loopback = known ? known.loopback : isLoopback(socket.remoteAddress);
  const peer = judged(presented, trust, loopback);
  peers.set(socket, peer);
  return peer;
}

const isLoopback = (address = ""): boolean => /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address);

// a proxy sends the certificate with each request, on few connections
const handedOn = new WeakMap<ClientTrust, Map<string, Peer>>();
const manyCertificates = 1000;

function peerOfText(text: string, trust: ClientTrust, proxies: CertificateProxies): Peer {
  const cache = handedOn.get(trust) ?? new Map<string, Peer>();
  handedOn.set(trust, cache);
  const known = cache.get(text);
  if (known?.version === trust.version) return known;
  const peer = known ? judged(known.presented, trust, false) : readPeer(text, trust, proxies);
  if (cache.size >= manyCertificates) cache.clear();
  cache.set(text, peer);
  return peer;
}

function readPeer(text: string, trust: ClientTrust, proxies: CertificateProxies): Peer {
  try {
    return judged(readHandedOn(text, proxies), trust, false);
  } catch {
    return {
      presented: null,
      version: trust.version,
      judged: malformed,
      thumbprint: null,
      loopback: false,
    };
  }
}

function judged(presented: Presented | null, trust: ClientTrust, loopback: boolean): Peer {
  const { version } = trust;
  const judgement = judgeCertificate(presented, trust);
  const { facts } = judgement;
  return { presented, version, judged: judgement, thumbprint: facts?.thumbprint ?? null, loopback };
}

function prepare(trust: ClientTrust, presented: Presented | null): Promise<void> | null {
  if (presented?.problem !== null) return null;
  try {
    const status = trust.prepare(presented.certificate, presented.sent);
    return (
      status && Promise.race([status, sleep(preparingMilliseconds, undefined, { ref: false })])
    );
  } catch {
    return null; // judged as malformed
  }
}

/** Whether a request came in over the mutual TLS listener, with or without a certificate. */
export const arrivedOverMtls = (request: IncomingMessage): boolean =>
  rulesOfSocket.has(request.socket);

/** The client certificate of a request's connection, or the reason that there is no usable one. */
export const judgedCertificateOf = (request: IncomingMessage): JudgedCertificate =>
  peerOf(request).judged;

/** The subject of the valid client certificate of a request's connection; null without one. */
export const certificateSubjectOf = (request: IncomingMessage): DistinguishedName | null =>
  judgedCertificateOf(request).facts?.subject ?? null;
