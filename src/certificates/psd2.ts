import type { Der } from "./der.ts";

/**
 * A role of a payment service provider, as certificates name it. Source: ETSI TS 119 495 section
 * 5.1.
 */
type PspRole = "PSP_AS" | "PSP_PI" | "PSP_AI" | "PSP_IC";

/** The PSD2 statement of a certificate: the roles, and the authority that granted them. */
export type Psd2Statement = {
  roles: readonly PspRole[];
  authorityName: string;
  /** Such as `GB-FCA`. */
  authorityId: string;
};

/** The statements of a certificate under eIDAS-type profiles. */
type QualifiedStatements = {
  /** The use that the certificate states; null if it states none. */
  use: "web" | "seal" | null;
  /** Whether the certificate is qualified. UK equivalents (OBWAC, OBSeal) are not. */
  isQualified: boolean;
  psd2: Psd2Statement | null;
};

/** Identifier of the extension qcStatements. Source: RFC 3739 section 3.2.6. */
export const qcStatementsId = "1.3.6.1.5.5.7.1.3";

// Source: ETSI EN 319 412-5 section 4, ETSI TS 119 495 section 5.1.
const compliance = "0.4.0.1862.1.1";
const type = "0.4.0.1862.1.6";
const psd2 = "0.4.0.19495.2";
const uses: Readonly<Record<string, "web" | "seal">> = {
  "0.4.0.1862.1.6.2": "seal",
  "0.4.0.1862.1.6.3": "web",
};
const roles: Readonly<Record<string, PspRole>> = {
  "0.4.0.19495.1.1": "PSP_AS",
  "0.4.0.19495.1.2": "PSP_PI",
  "0.4.0.19495.1.3": "PSP_AI",
  "0.4.0.19495.1.4": "PSP_IC",
};

/** Reads the extension qcStatements. Returns null if there is none. Throws if it is malformed. */
export function readStatements(extension: Der | null): QualifiedStatements {
  const statements = new Map<string, Der | undefined>();
  for (const { items } of extension?.items ?? []) {
    const id = items[0]?.oid;
    if (id) statements.set(id, items[1]);
  }
  const stated = (statements.get(type)?.items ?? []).map(({ oid }) => uses[oid ?? ""]);
  const roleStatement = statements.get(psd2);
  return {
    use: stated.find((use) => use !== undefined) ?? null,
    isQualified: statements.has(compliance),
    psd2: roleStatement ? readPsd2(roleStatement) : null,
  };
}

// each role is its identifier and its name; the identifier decides
function readPsd2(statement: Der): Psd2Statement {
  return {
    roles: statement
      .at(0)
      .items.map((role) => roles[role.at(0).oid ?? ""])
      .filter((role) => role !== undefined),
    authorityName: statement.at(1).text ?? "",
    authorityId: statement.at(2).text ?? "",
  };
}
