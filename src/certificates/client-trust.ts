import { X509Certificate } from "node:crypto";
import { type Built, buildChain, type Chain, weakKey } from "./chain.ts";
import { certificateBlocks } from "./pem.ts";
import type { Revocation } from "./revocation.ts";

/** The result of checking a certificate: its chain, or the reason why it is not accepted. */
export type Trusted =
  | { chain: Chain; problem: null }
  | { chain: null; problem: "revoked" | "unchecked" | { name: string } };

/** Decides which client certificates are accepted. */
export type ClientTrust = {
  /** A number that increases whenever the result of a check may have changed. */
  readonly version: number;
  /** The roots and issuing authorities, as PEM text. */
  readonly anchorsPem: string;
  /** Replaces the roots and issuing authorities. */
  setAnchors(pem: string): void;
  /** Checks a certificate with the certificates that were sent with it. Reads only memory. */
  judge(certificate: X509Certificate, sent: Chain): Trusted;
  /** Fetches the status of a new certificate; null if there is nothing to wait for. */
  prepare(certificate: X509Certificate, sent: Chain): Promise<void> | null;
};

/** Creates the check of client certificates. Without `revocation`, revocation is not checked. */
export function createClientTrust(
  pem: string,
  { now, revocation }: { now(): Temporal.Instant; revocation?: Revocation },
): ClientTrust {
  let anchors = parseAnchors(pem);
  let anchorsPem = pem;
  let changes = 0;
  // when the first certificate of an accepted chain expires, all chains are checked again
  let firstEnd = Number.POSITIVE_INFINITY;
  const noticeEnd = (): void => {
    if (now().epochMilliseconds <= firstEnd) return;
    changes += 1;
    firstEnd = Number.POSITIVE_INFINITY;
  };
  // signatures are verified once for each connection
  const built = new WeakMap<X509Certificate, { changes: number; found: Built }>();
  const build = (certificate: X509Certificate, sent: Chain): Built => {
    const known = built.get(certificate);
    if (known?.changes === changes) return known.found;
    const found = buildChain(certificate, anchors, sent, now());
    firstEnd = Math.min(firstEnd, ...(found.chain ?? []).map(endOf));
    built.set(certificate, { changes, found });
    return found;
  };
  return {
    get version() {
      noticeEnd();
      return changes + (revocation?.version ?? 0);
    },
    get anchorsPem() {
      return anchorsPem;
    },
    setAnchors(next) {
      anchors = parseAnchors(next);
      anchorsPem = next;
      changes += 1;
    },
    judge(certificate, sent) {
      const { chain, problem } = build(certificate, sent);
      if (chain === null) return { chain, problem: { name: problem } };
      const weakness = weakKey(certificate);
      if (weakness !== null) return { chain: null, problem: { name: weakness } };
      const standing = revocation?.standingOf(chain) ?? "good";
      if (standing === "good") return { chain, problem: null };
      return { chain: null, problem: standing === "revoked" ? "revoked" : "unchecked" };
    },
    prepare(certificate, sent) {
      if (revocation === undefined) return null;
      const { chain } = build(certificate, sent);
      return chain && revocation.prepare(chain);
    },
  };
}

const endOf = ({ validToDate }: X509Certificate): number => validToDate.getTime();

const parseAnchors = (pem: string): Chain =>
  certificateBlocks(pem).map((block) => new X509Certificate(block));
