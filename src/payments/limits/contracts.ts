import { loadVrpContracts, type VrpContract, type VrpPurpose } from "#src/clients/vrp-contracts.ts";
import { formatAmount } from "#src/lib/money.ts";
import { bankDate } from "#src/payments/calendar/timing.ts";
import type { Check, CheckedRequest, RequestFault } from "#src/payments/request/checks.ts";
import type { PaymentRequest, RequestedLimits } from "#src/payments/request/payment-request.ts";
import { shutOutText } from "#src/payments/request/refusals.ts";
import {
  authenticatedByTpp,
  commercialVrpTypes,
  isOfScheme,
  isShutOut,
  type SchemeStatus,
  schemeVrpTypes,
  sweepingType,
  withoutAuthentication,
} from "#src/standard/shared/vrp-types.ts";
import type { Queryable } from "#src/storage/database.ts";

// A consent needs a contract between the bank and its TPP if it is for more than sweeping, if the
// TPP is to authenticate the customer, or if it names no payee. One contract must allow all of it.
// Only the creation of a consent reads contracts: a consent outlives its contract, unless the bank
// ends both. A TPP that is active in the commercial scheme needs no contract for its types.
// Source: B-180, CV-02.

/** The part of a request that a contract is about. */
type Asked = Pick<PaymentRequest, "limits" | "creditor">;

/** The reason why a consent is allowed: a contract, or the TPP's standing in the scheme. */
export type Basis = Omit<VrpContract, "purpose"> & { purpose: VrpPurpose | "scheme" };

/** What a TPP that is active in the commercial scheme may do without a contract. Source: CV-02. */
const activeStanding: Basis = {
  contractId: "commercial scheme", // an id that no contract can have
  types: [...schemeVrpTypes],
  purpose: "scheme",
  from: "0000-01-01",
  until: null,
  payeePerPayment: false,
  tppAuthenticates: false,
  maximumMinor: null,
};

/** The contract of a new consent, or the reasons why it has none. */
type Judgement = { contract: Basis | null; faults: RequestFault[] };

const listed = (values: readonly (string | null)[] | null | undefined, value: string): boolean =>
  values?.includes(value) === true;

/** Loads the contracts of a TPP if the consent that it asks for needs one. */
export async function loadContractsFor(
  on: Queryable,
  clientId: string,
  { limits, creditor }: Asked,
): Promise<VrpContract[]> {
  if (limits === null) return [];
  const { type, authentication } = limits.uses;
  const isPlain = type?.every((one) => one === sweepingType) ?? true;
  const needsNone = isPlain && creditor !== null && !listed(authentication, authenticatedByTpp);
  return needsNone ? [] : loadVrpContracts(on, clientId);
}

/** V-006…V-011: a contract of the TPP allows every part of the consent that needs one. */
export const checkContract: Check = (checked) => judgeContract(checked).faults;

/** Returns the contract under which a consent that has passed the checks is created, if any. */
export const contractOf = (checked: Given): Basis | null => judgeContract(checked).contract;

type Given = Pick<CheckedRequest, "contracts" | "schemeStatus" | "now"> & { request: Asked };

function judgeContract({ request, contracts, schemeStatus, now }: Given): Judgement {
  const { limits, creditor } = request;
  if (limits === null) return { contract: null, faults: [] };
  const { type: types, authentication } = limits.uses;
  const current: Basis[] = contracts.filter((contract) => isCurrent(contract, now));
  if (schemeStatus === "Active") current.push(activeStanding);
  const commercial = (types ?? []).filter((type) => type !== sweepingType);
  const faults = [
    ...typeFaults(limits, current, schemeStatus),
    ...authenticationFaults(limits, current),
  ];
  const needsAuthentication = listed(authentication, authenticatedByTpp);
  const isContractual = commercial.length > 0 || needsAuthentication || creditor === null;
  if (!isContractual) return { contract: null, faults };
  const fitting = current.filter(
    (contract) =>
      commercial.every((type) => listed(contract.types, type)) &&
      (!needsAuthentication || contract.tppAuthenticates),
  );
  if (fitting.length === 0 && faults.length === 0 && current.length > 0) {
    const message =
      "No single contract allows all types and methods of this consent. Create a consent for " +
      "each contract.";
    faults.push({ code: "U002", member: "limits.uses.type", position: 0, message });
  }
  const payable = fitting.filter(({ payeePerPayment }) => creditor !== null || payeePerPayment);
  if (creditor === null && (payable.length === 0 || listed(types, sweepingType))) {
    faults.push({ code: "U004", member: "creditor", message: noPayee(limits) });
  }
  const contract = payable.find(({ maximumMinor }) => isWithin(limits, maximumMinor)) ?? null;
  const [first] = payable;
  if (contract === null && first?.maximumMinor != null) faults.push(tooMuch(first.maximumMinor));
  return { contract, faults };
}

function isCurrent({ from, until }: VrpContract, now: Temporal.Instant): boolean {
  const today = bankDate(now).toString();
  return from <= today && (until === null || today <= until);
}

/** V-008…V-010, B-180, CV-20: each type is sweeping, or covered by a contract and not shut out. */
function typeFaults(
  { uses }: RequestedLimits,
  current: readonly Basis[],
  schemeStatus: SchemeStatus | null,
): RequestFault[] {
  const isOut = isShutOut(schemeStatus);
  const covered = commercialVrpTypes.filter(
    (type) => !(isOut && isOfScheme(type)) && current.some(({ types }) => types.includes(type)),
  );
  return (uses.type ?? []).flatMap((type, position): RequestFault[] => {
    if (type === sweepingType || listed(covered, type)) return [];
    const message = listed(commercialVrpTypes, type)
      ? uncoveredText(type, schemeStatus, covered)
      : `The type must be ${[sweepingType, ...covered].join(" or ")}.`;
    return [{ code: "U002", member: "limits.uses.type", position, message }];
  });
}

/**
 * Why a TPP may not use a commercial type. The text does not suggest sweeping, which is another
 * kind of payment.
 */
function uncoveredText(
  type: string,
  status: SchemeStatus | null,
  covered: readonly string[],
): string {
  if (isShutOut(status) && isOfScheme(type)) {
    return `${shutOutText(type, status)} Ask the scheme about your status.`;
  }
  const none = `you have no current contract for ${type}. Ask the bank for one`;
  const instead = covered.length === 0 ? "." : `, or send ${covered.join(" or ")}.`;
  if (!isOfScheme(type)) return `Y${none.slice(1)}${instead}`;
  return (
    "The bank does not find your organisation as Active in the commercial scheme (it has no " +
    `status there), and ${none}${instead}`
  );
}

/** V-011: the TPP may authenticate the customer only under a contract that says so. */
function authenticationFaults(
  { uses }: RequestedLimits,
  current: readonly Basis[],
): RequestFault[] {
  const mayAuthenticate = current.some(({ tppAuthenticates }) => tppAuthenticates);
  return (uses.authentication ?? []).flatMap((method, position): RequestFault[] => {
    if (method === withoutAuthentication) return [];
    if (method === authenticatedByTpp && mayAuthenticate) return [];
    const message =
      method === authenticatedByTpp
        ? `You have no current contract for ${method}. Ask the bank for one, or send ` +
          `${withoutAuthentication}.`
        : `The method must be ${withoutAuthentication} or ${authenticatedByTpp}.`;
    return [{ code: "U002", member: "limits.uses.authentication", position, message }];
  });
}

const noPayee = ({ uses }: RequestedLimits): string =>
  listed(uses.type, sweepingType)
    ? "A sweeping consent must name the account that its payments go to."
    : "The consent must name the account that its payments go to, unless your contract allows " +
      "each payment to name the payee's account.";

const isWithin = ({ single }: RequestedLimits, maximumMinor: number | null): boolean =>
  maximumMinor === null || (single?.money?.amountMinor ?? 0n) <= BigInt(maximumMinor);

function tooMuch(maximumMinor: number): RequestFault {
  const message = `Your contract allows at most ${formatAmount(BigInt(maximumMinor), "GBP")} GBP per payment.`;
  return { code: "U002", member: "limits.single.text", message };
}
