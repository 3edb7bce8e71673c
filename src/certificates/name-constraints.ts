import type { X509Certificate } from "node:crypto";
import type { Der } from "./der.ts";
import { isNameBelow, oids } from "./distinguished-name.ts";
import { partsOf } from "./tpp-certificate.ts";

// The names that an authority may certify, as OpenSSL evaluates them. Source: RFC 5280 section
// 4.2.1.10.

const nameConstraints = "2.5.29.30";
const subjectAlternativeName = "2.5.29.17";

/** The tags of a GeneralName. Source: RFC 5280 section 4.2.1.6. */
const kinds = { email: 0x81, dns: 0x82, directory: 0xa4, uri: 0x86, address: 0x87 } as const;

/** A name of a certificate. `directory` is null unless the name is a distinguished name. */
type Name = { tag: number; content: Buffer; directory: Der | null };

const generalName = (value: Der): Name => ({
  tag: value.tag,
  content: value.content,
  directory: value.tag === kinds.directory ? value.at(0) : null,
});

/**
 * Returns how a certificate violates the name constraints of an authority above it, in OpenSSL's
 * words; null if it does not. Throws if an extension is malformed.
 */
export function constraintProblem(
  certificate: X509Certificate,
  authority: X509Certificate,
  isLeaf: boolean,
): string | null {
  const constraints = partsOf(authority.raw).extensions.get(nameConstraints);
  if (constraints === null) return null;
  const permitted = constraints.tagged(0xa0)?.items ?? [];
  const excluded = constraints.tagged(0xa1)?.items ?? [];
  // since RFC 5280, a subtree has only a base
  if ([...permitted, ...excluded].some(({ items }) => items.length > 1)) return "SUBTREE_MINMAX";
  for (const name of namesOf(certificate, isLeaf)) {
    const basesOf = (subtrees: readonly Der[]): Name[] =>
      subtrees.map((one) => generalName(one.at(0))).filter(({ tag }) => tag === name.tag);
    const [inside, outside] = [basesOf(permitted), basesOf(excluded)];
    if (inside.length + outside.length === 0) continue;
    const isWithin = matchers.get(name.tag);
    if (isWithin === undefined) return "UNSUPPORTED_CONSTRAINT_TYPE";
    if (inside.length > 0 && !inside.some((base) => isWithin(name, base))) {
      return "PERMITTED_VIOLATION";
    }
    if (outside.some((base) => isWithin(name, base))) return "EXCLUDED_VIOLATION";
  }
  return null;
}

const emailAddress = "1.2.840.113549.1.9.1";

/** The names to which constraints apply. A client's CN counts as a host if it looks like one. */
function namesOf({ raw }: X509Certificate, isLeaf: boolean): Name[] {
  const { encodedSubject, subject, extensions } = partsOf(raw);
  const named = (tag: number, value: string): Name => ({
    tag,
    content: Buffer.from(value, "latin1"),
    directory: null,
  });
  const valuesOf = (wanted: string): string[] =>
    subject.filter(({ type }) => type === wanted).map(({ value }) => value);
  const alternatives = (extensions.get(subjectAlternativeName)?.items ?? []).map(generalName);
  const hasHost = alternatives.some(({ tag }) => tag === kinds.dns);
  const hosts = isLeaf && !hasHost ? valuesOf(oids.commonName).filter(isHost) : [];
  return [
    ...(subject.length > 0
      ? [{ tag: kinds.directory, content: encodedSubject.bytes, directory: encodedSubject }]
      : []),
    ...valuesOf(emailAddress).map((value) => named(kinds.email, value)),
    ...hosts.map((value) => named(kinds.dns, value)),
    ...alternatives,
  ];
}

const isHost = (text: string): boolean =>
  text.includes(".") && text.split(".").every((label) => /^[\w-]+$/.test(label));

const textOf = ({ content }: Name): string => content.toString("latin1").toLowerCase();

const isBelow = (host: string, base: string): boolean =>
  base.startsWith(".") ? host.endsWith(base) : host === base;

const matchers = new Map<number, (name: Name, base: Name) => boolean>([
  [
    kinds.directory,
    ({ directory }, base) =>
      directory !== null && base.directory !== null && isNameBelow(directory, base.directory),
  ],
  [
    kinds.dns,
    (name, base) => {
      const [host, above] = [textOf(name), textOf(base)];
      return above === "" || host === above || host.endsWith(`.${above.replace(/^\./, "")}`);
    },
  ],
  [
    kinds.email,
    (name, base) => {
      const [address, above] = [textOf(name), textOf(base)];
      const host = address.slice(address.lastIndexOf("@") + 1);
      return above.includes("@") ? address === above : isBelow(host, above);
    },
  ],
  [kinds.uri, (name, base) => isBelow(hostOf(textOf(name)), textOf(base))],
  [
    kinds.address,
    ({ content: address }, { content: base }) =>
      base.length === 2 * address.length &&
      address.every((byte, at) => {
        const mask = base[address.length + at] ?? 0;
        return (byte & mask) === ((base[at] ?? 0) & mask);
      }),
  ],
]);

const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).hostname : "");
