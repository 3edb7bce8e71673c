import { X509Certificate } from "node:crypto";
import { earlierOf, isBefore, laterOf } from "#src/lib/date-time.ts";
import { type Built, buildChain, type Chain, weakKey } from "./chain.ts";
import { type Crl, readCrl } from "./crl.ts";
import { ocspRequest, readOcspResponse } from "./ocsp.ts";
import { certificateBlocks } from "./pem.ts";
import { serialText } from "./serials.ts";
import { partsOf } from "./tpp-certificate.ts";

/** The result of checking a certificate: its chain, or the reason why it is not accepted. */
export type Trusted =
  | { chain: Chain; problem: null }
  | { chain: null; problem: "revoked" | "unchecked" | { name: string } };

/** Decides which client certificates are accepted. */
export type ClientTrust = {
  /** A number that increases whenever the result of a check may have changed. */
  readonly version: number;
  /** Increases the version if a certificate of an accepted chain has expired. Once a request. */
  noticeExpiry(): void;
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
      return changes + (revocation?.version ?? 0);
    },
    noticeExpiry() {
      if (now().epochMilliseconds <= firstEnd) return;
      changes += 1;
      firstEnd = Number.POSITIVE_INFINITY;
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

/** Where the status of a certificate is published. */
type StatusAddresses = { lists: readonly string[]; responders: readonly string[] };

// Source: RFC 5280 sections 4.2.1.13 and 4.2.2.1.
const distributionPoints = "2.5.29.31";
const authorityInformation = "1.3.6.1.5.5.7.1.1";
const ocsp = "1.3.6.1.5.5.7.48.1";
const uriTag = 0x86;

const known = new WeakMap<X509Certificate, StatusAddresses>();

/** The http and https addresses of a certificate's revocation lists and OCSP responders. */
function statusAddressesOf(certificate: X509Certificate): StatusAddresses {
  let addresses = known.get(certificate);
  if (addresses === undefined) {
    addresses = read(certificate);
    known.set(certificate, addresses);
  }
  return addresses;
}

function read({ raw }: X509Certificate): StatusAddresses {
  const { extensions } = partsOf(raw);
  const names = (extensions.get(distributionPoints)?.items ?? []).flatMap(
    (point) => point.tagged(0xa0)?.tagged(0xa0)?.items ?? [],
  );
  const access = (extensions.get(authorityInformation)?.items ?? [])
    .filter(({ items }) => items[0]?.oid === ocsp)
    .map((one) => one.at(1));
  const urlsOf = (found: typeof names): string[] =>
    found
      .filter(({ tag }) => tag === uriTag)
      .map(({ content }) => content.toString("latin1"))
      .filter((url) => /^https?:\/\//i.test(url));
  return { lists: urlsOf(names), responders: urlsOf(access) };
}

/**
 * Fetches an issuer's list, or sends a request to its responder. Throws if there is no usable
 * response.
 */
export type FetchStatus = (
  url: string,
  ocspRequest: Buffer | null,
  issuer: X509Certificate,
) => Promise<Buffer>;

/** The dependencies and settings of the checks of revocation. */
export type RevocationDeps = {
  fetch: FetchStatus;
  /** The machine's time, as in the validity of certificates. */
  now(): Temporal.Instant;
  /** `soft` accepts a certificate whose status is old or unknown; `hard` refuses it. */
  policy: "soft" | "hard";
  /** With `hard`: how long the last status may be used after it was due for renewal. */
  graceHours: number;
  /** Called once when a status cannot be renewed, and again only after it has been renewed. */
  onTrouble(trouble: { url: string; reason: string }): void;
};

/** The state of a certificate. Only `good` is accepted. */
type CertificateStatus = "good" | "revoked" | "unknown";

/** Knows which certificates are revoked. */
type Revocation = {
  /** A number that increases whenever a standing may have changed. */
  readonly version: number;
  /** The standing of a chain, from memory. */
  standingOf(chain: Chain): CertificateStatus;
  /**
   * Fetches the status of a chain that is used for the first time. Returns null if nothing has to
   * be fetched.
   */
  prepare(chain: Chain): Promise<void> | null;
  /** Fetches the statuses that are due. */
  refresh(): Promise<void>;
};

/** A status source of one certificate or of one issuer, as it was last read. */
type Source = {
  url: string;
  issuer: X509Certificate;
  /** The certificate that a responder is asked about; null for a list, which covers all. */
  certificate: X509Certificate | null;
  /** The lists that are read in place of a responder, as long as one is fresh. */
  lists: readonly Source[];
  /** The revoked serial numbers; null until the source was read. */
  revoked: Found["revoked"] | null;
  /** The entries of a list, or the status that a responder gave, to notice a change. */
  content: Buffer | null;
  /** When the status was published; null until the source was read. */
  publishedAt: Temporal.Instant | null;
  /** When the status expires. */
  validUntil: Temporal.Instant | null;
  dueAt: Temporal.Instant | null;
  usedAt: Temporal.Instant;
  inTrouble: boolean;
  reading: Promise<void> | null;
};

const hourly = { minutes: 60 };
const retry = { seconds: 60 };
const forgetAfter = { hours: 24 };
// for lists and responses that do not say when the next one will be published
const freshFor = { hours: 24 };
// the clock of an issuer may be ahead
const mostAhead = { minutes: 5 };

/**
 * Creates the record of revoked certificates. Lists are fetched from the distribution points of
 * trusted chains every hour, or when their issuer will have published the next one. If a
 * certificate has no usable list, a responder is asked. Requests of clients read only memory.
 * Source.
 */
export function createRevocation(deps: RevocationDeps): Revocation {
  const sources = new Map<string, Source>();
  const state = { version: 0, minute: 0 };
  const read = (source: Source): Promise<void> => {
    source.reading ??= readSource(deps, source).then((changed) => {
      source.reading = null;
      if (changed) state.version += 1;
    });
    return source.reading;
  };
  const sourceOf = (given: Pick<Source, "url" | "certificate" | "issuer" | "lists">): Source => {
    const { url, certificate, issuer } = given;
    const key = `${url} ${issuer.fingerprint256} ${certificate?.serialNumber ?? ""}`;
    let source = sources.get(key);
    if (source === undefined) {
      source = emptySource(given, deps.now());
      sources.set(key, source);
    }
    source.usedAt = deps.now();
    return source;
  };
  const linksOf = (chain: Chain) =>
    chain.slice(0, -1).map((certificate, at) => {
      const issuer = chain[at + 1] as X509Certificate; // the slice leaves out the last one
      const addresses = statusAddressesOf(certificate);
      const lists = addresses.lists.map((url) =>
        sourceOf({ url, certificate: null, issuer, lists: [] }),
      );
      return {
        serial: serialText(Buffer.from(certificate.serialNumber, "hex")),
        lists,
        responders: addresses.responders.map((url) =>
          sourceOf({ url, certificate, issuer, lists }),
        ),
      };
    });
  const prepareLink = async ({ lists, responders }: ReturnType<typeof linksOf>[number]) => {
    await Promise.all(lists.filter(isUnread).map(read));
    if (lists.some((one) => isFresh(one, deps.now()))) return;
    await Promise.all(responders.filter(isUnread).map(read));
  };
  return {
    get version() {
      return state.version;
    },
    standingOf: (chain) => worst(linksOf(chain).map((link) => standingOfLink(deps, link))),
    prepare(chain) {
      const unread = linksOf(chain).filter(
        (link) =>
          ![...link.lists, ...link.responders].some(({ revoked }) => revoked !== null) &&
          [...link.lists, ...link.responders].some(isUnread),
      );
      return unread.length === 0
        ? null
        : Promise.all(unread.map(prepareLink)).then(() => undefined);
    },
    async refresh() {
      const now = deps.now();
      for (const [key, { usedAt }] of sources) {
        // open connections are then checked again, which reads the sources that they use
        if (isBefore(usedAt.add(forgetAfter), now) && sources.delete(key)) state.version += 1;
      }
      const due = [...sources.values()].filter((one) => isDue(one, now));
      await Promise.all(due.filter(({ certificate }) => certificate === null).map(read));
      // these lists may be fresh now
      const asked = due.filter((one) => one.certificate !== null && isDue(one, now));
      await Promise.all(asked.map(read));
      // with `hard`, a certificate is refused once its status is too old, even if nothing was read
      const minute = Math.floor(now.epochMilliseconds / 60_000);
      if (deps.policy === "hard" && minute !== state.minute) state.version += 1;
      state.minute = minute;
    },
  };
}

const emptySource = (
  given: Pick<Source, "url" | "certificate" | "issuer" | "lists">,
  usedAt: Temporal.Instant,
): Source => ({
  ...given,
  revoked: null,
  content: null,
  publishedAt: null,
  validUntil: null,
  dueAt: null,
  usedAt,
  inTrouble: false,
  reading: null,
});

const isUnread = ({ revoked, dueAt }: Source): boolean => revoked === null && dueAt === null;

const isFresh = ({ revoked, validUntil }: Source, now: Temporal.Instant): boolean =>
  revoked !== null && validUntil !== null && isBefore(now, validUntil);

// a responder is asked about a certificate only as long as no list is fresh
const isDue = ({ dueAt, lists }: Source, now: Temporal.Instant): boolean =>
  (dueAt === null || !isBefore(now, dueAt)) && !lists.some((one) => isFresh(one, now));

type Link = { serial: string; lists: Source[]; responders: Source[] };

function standingOfLink(
  { policy, graceHours, now }: RevocationDeps,
  { serial, lists, responders }: Link,
): CertificateStatus {
  const known = [...lists, ...responders].filter(({ revoked }) => revoked !== null);
  if (known.some(({ revoked }) => revoked?.has(serial))) return "revoked";
  if (policy === "soft") return "good";
  const latest = now().subtract({ hours: graceHours });
  return known.some((source) => isFresh(source, latest)) ? "good" : "unknown";
}

const worst = (standings: readonly CertificateStatus[]): CertificateStatus =>
  standings.find((one) => one === "revoked") ??
  standings.find((one) => one === "unknown") ??
  "good";

/** Reads a source. Returns whether its status may have changed. */
async function readSource(deps: RevocationDeps, source: Source): Promise<boolean> {
  const { url, issuer, certificate } = source;
  try {
    const found = certificate
      ? await askResponder(deps, url, certificate, issuer)
      : fromList(await readCrl(await deps.fetch(url, null, issuer), issuer));
    refuseReplay(source, found, deps.now());
    const changed = !source.content?.equals(found.content);
    Object.assign(source, found, { inTrouble: false });
    const hour = deps.now().add(hourly);
    const { validUntil } = found;
    source.dueAt = laterOf(earlierOf(hour, validUntil), deps.now().add({ seconds: 1 }));
    if (isBefore(validUntil, deps.now())) throw new Error("it has expired");
    return changed;
  } catch (error) {
    source.dueAt = deps.now().add(retry);
    if (!source.inTrouble) deps.onTrouble({ url, reason: (error as Error).message });
    source.inTrouble = true;
    return false;
  }
}

/** Throws if a status is older than the last one, or was published in the future. */
function refuseReplay(
  { publishedAt: last }: Source,
  { publishedAt }: Found,
  now: Temporal.Instant,
): void {
  if (last !== null && isBefore(publishedAt, last))
    throw new Error("it is older than the last one");
  if (isBefore(now.add(mostAhead), publishedAt)) throw new Error("its date is in the future");
}

type Found = {
  revoked: { has(serial: string): boolean };
  content: Buffer;
  publishedAt: Temporal.Instant;
  validUntil: Temporal.Instant;
};

const fromList = ({ revoked, ...dates }: Crl): Found => ({
  revoked,
  content: revoked.entries,
  ...datesOf(dates),
});

const datesOf = ({ thisUpdate, nextUpdate }: Pick<Crl, "thisUpdate" | "nextUpdate">) => ({
  publishedAt: thisUpdate,
  validUntil: nextUpdate ?? thisUpdate.add(freshFor),
});

async function askResponder(
  { fetch, now }: RevocationDeps,
  url: string,
  certificate: X509Certificate,
  issuer: X509Certificate,
): Promise<Found> {
  const bytes = await fetch(url, ocspRequest(certificate, issuer), issuer);
  const { status, ...dates } = readOcspResponse(bytes, certificate, issuer, now());
  if (status === "unknown") throw new Error("the responder does not know the certificate");
  const serial = serialText(Buffer.from(certificate.serialNumber, "hex"));
  const isRevoked = (other: string): boolean => status === "revoked" && other === serial;
  return { revoked: { has: isRevoked }, content: Buffer.from(status), ...datesOf(dates) };
}
