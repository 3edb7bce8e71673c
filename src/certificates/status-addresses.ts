import type { X509Certificate } from "node:crypto";
import { partsOf } from "./tpp-certificate.ts";

/** Where the status of a certificate is published. */
type StatusAddresses = { lists: readonly string[]; responders: readonly string[] };

// Source: RFC 5280 sections 4.2.1.13 and 4.2.2.1.
const distributionPoints = "2.5.29.31";
const authorityInformation = "1.3.6.1.5.5.7.1.1";
const ocsp = "1.3.6.1.5.5.7.48.1";
const uriTag = 0x86;

const known = new WeakMap<X509Certificate, StatusAddresses>();

/** The http and https addresses of a certificate's revocation lists and OCSP responders. */
export function statusAddressesOf(certificate: X509Certificate): StatusAddresses {
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
