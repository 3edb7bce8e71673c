import type { Scope } from "#src/standard/api-version.ts";
import { type KindId, publishedKindIds } from "#src/standard/kind-id.ts";
import type { Permission } from "#src/standard/shared/accounts/account-access-consent.ts";

// The parts of a core. What a core lacks is not offered: its routes, permissions, scopes and pages
// follow from the tables of this file, and
// the calls that it needs from port-calls.ts (docs/own-core.md).

/** The parts of account information besides the accounts: what the core sends through the feed. */
const dataParts = [
  "balances",
  "transactions",
  "beneficiaries",
  "direct-debits",
  "standing-orders",
  "scheduled-payments",
  "statements",
  "products",
  "offers",
  "parties",
] as const;

type DataPart = (typeof dataParts)[number];

/** A part that a core may have: a kind by its id, account data, or a page of the customer. */
export type BankPart = (typeof publishedKindIds)[number] | DataPart | "payees" | "mandates";

/** Every part. */
export const bankParts: readonly BankPart[] = [
  ...publishedKindIds,
  ...dataParts,
  "payees",
  "mandates",
];

/** What a core says about itself. */
export type BankAbout = {
  /** The parts that it has. What is missing is not offered. */
  parts: readonly BankPart[];
};

const partOfPermission: Readonly<Record<Permission, DataPart | null>> = {
  // every consent to account access has one of these
  ReadAccountsBasic: null,
  ReadAccountsDetail: null,
  ReadBalances: "balances",
  ReadBeneficiariesBasic: "beneficiaries",
  ReadBeneficiariesDetail: "beneficiaries",
  ReadDirectDebits: "direct-debits",
  ReadOffers: "offers",
  ReadPAN: null,
  ReadParty: "parties",
  ReadPartyPSU: "parties",
  ReadProducts: "products",
  ReadScheduledPaymentsBasic: "scheduled-payments",
  ReadScheduledPaymentsDetail: "scheduled-payments",
  ReadStandingOrdersBasic: "standing-orders",
  ReadStandingOrdersDetail: "standing-orders",
  ReadStatementsBasic: "statements",
  ReadStatementsDetail: "statements",
  ReadTransactionsBasic: "transactions",
  ReadTransactionsCredits: "transactions",
  ReadTransactionsDebits: "transactions",
  ReadTransactionsDetail: "transactions",
};

type SaysParts = { about?: BankAbout };

/** Whether the core has a part. A core that says nothing about its parts has them all. */
export const hasPart = ({ about }: SaysParts, part: BankPart): boolean =>
  about?.parts.includes(part) ?? true;

/** Whether the core has the data of a permission. */
export function offersPermission(bank: SaysParts, permission: Permission): boolean {
  const part = partOfPermission[permission];
  return part === null || hasPart(bank, part);
}

/** Whether the core has a kind. A kind that a bank adds is not among the parts. */
export function offersKind(bank: SaysParts, { id }: { id: KindId }): boolean {
  const part = publishedKindIds.find((one) => one === id);
  return part === undefined || hasPart(bank, part);
}

/** The scopes of the APIs that the bank offers, of kinds that belong to these scopes. */
export const offeredScopes = (
  bank: SaysParts,
  kinds: readonly { id: KindId; scope: Scope }[],
): Scope[] => [
  ...new Set(kinds.filter((kind) => offersKind(bank, kind)).map(({ scope }) => scope)),
];

/** Lists the faults of what a core says about itself; empty if there are none. */
export function listAboutFaults(about: unknown): string[] {
  if (about === undefined) return [];
  const given = about !== null && typeof about === "object" ? (about as { parts?: unknown }) : {};
  const known = `It must be a list of some of these: ${bankParts.join(", ")}`;
  if (!Array.isArray(given.parts)) return [`about.parts is not a list. ${known}`];
  const parts: readonly unknown[] = given.parts;
  const unknown = parts.filter((part) => !bankParts.some((one) => one === part));
  if (unknown.length > 0) {
    const names = unknown.map((one) => JSON.stringify(one)).join(", ");
    return [`about.parts has unknown parts: ${names}. ${known}`];
  }
  if (parts.length === 0) return [`about.parts is empty. ${known}`];
  const data = dataParts.filter((part) => parts.includes(part));
  const [access] = publishedKindIds;
  return data.length > 0 && !parts.includes(access)
    ? [`about.parts has ${data.join(", ")} without ${access}: add ${access}, or leave these out`]
    : [];
}
