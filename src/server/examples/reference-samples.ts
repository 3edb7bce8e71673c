import { accountVersions } from "#src/accounts/account-versions.ts";
import { type BankAbout, offersPermission } from "#src/bank/parts.ts";
import {
  callbackPath,
  eventVersions,
  newestEventVersion,
  registeredVersion,
} from "#src/events/event-versions.ts";
import { fundsVersions } from "#src/funds/funds-versions.ts";
import { type ServedKind, servedKinds } from "#src/payments/definitions/payment-kind.ts";
import { pascalCase } from "#src/payments/formats/pisp-operation.ts";
import { sandboxSamples } from "#src/sandbox/controls/interface-samples.ts";
import type { Permission } from "#src/standard/shared/accounts/account-access-consent.ts";
import type { OfferedKind } from "./example.ts";
import { examplesIn } from "./examples.ts";

/** The bodies that the API reference starts from, by API version and operation id. */
export type ReferenceSamples = Readonly<Record<string, Readonly<Record<string, object>>>>;

const sampled: readonly Permission[] = [
  "ReadAccountsDetail",
  "ReadBalances",
  "ReadBeneficiariesDetail",
  "ReadDirectDebits",
  "ReadOffers",
  "ReadParty",
  "ReadPartyPSU",
  "ReadProducts",
  "ReadScheduledPaymentsDetail",
  "ReadStandingOrdersDetail",
  "ReadStatementsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
  "ReadTransactionsDetail",
];

/** The bodies of account access, by operation id, with the permissions that the bank offers. */
export const accountSamples = (bank: { about?: BankAbout }): Readonly<Record<string, object>> => ({
  CreateAccountAccessConsents: {
    Data: { Permissions: sampled.filter((code) => offersPermission(bank, code)) },
    Risk: {},
  },
});

/**
 * The bodies of funds confirmations, by operation id. The account belongs to a sandbox customer,
 * who can approve the consent.
 */
export const fundsSamples: Readonly<Record<string, object>> = {
  CreateFundsConfirmationConsents: {
    Data: {
      DebtorAccount: {
        SchemeName: "UK.OBIE.SortCodeAccountNumber",
        Identification: "00100168372990",
        Name: "Amara Okafor",
      },
    },
  },
  CreateFundsConfirmations: {
    Data: {
      ConsentId: "",
      Reference: "Purchase 1",
      InstructedAmount: { Amount: "20.00", Currency: "GBP" },
    },
  },
};

const Version = registeredVersion(newestEventVersion);
const Url = `https://tpp.example${callbackPath(newestEventVersion)}`;

const eventSamples: Readonly<Record<string, object>> = {
  // without a CallbackUrl, the TPP polls for events
  CreateEventSubscriptions: { Data: { Version, EventTypes: ["UK.OBIE.Resource-Update"] } },
  ChangeEventSubscriptionsEventSubscriptionId: {
    Data: { EventSubscriptionId: "", Version },
  },
  CreateCallbackUrls: { Data: { Url, Version } },
  ChangeCallbackUrlsCallbackUrlId: { Data: { CallbackUrlId: "", Url, Version } },
  CreateEvents: { returnImmediately: true },
};

/**
 * The bodies for the operations on accounts, on events and on these payment kinds, with the
 * permissions that the bank offers; by default, it offers all.
 */
export function referenceSamples(
  kinds: readonly OfferedKind[],
  today: Temporal.PlainDate,
  bank: { about?: BankAbout } = {},
): ReferenceSamples {
  const accounts = accountSamples(bank);
  const samples: Record<string, Readonly<Record<string, object>>> = {
    ...Object.fromEntries(accountVersions.map(({ id }) => [id, accounts])),
    ...Object.fromEntries(fundsVersions.map(({ api }) => [api.id, fundsSamples])),
    ...Object.fromEntries(eventVersions.map(({ id }) => [id, eventSamples])),
    "sandbox-v1": sandboxSamples,
  };
  for (const kind of kinds.flatMap(servedKinds)) {
    const { format } = kind;
    const names = sampleNames(kind);
    const { consent, order, file, funds } = examplesIn(kind, format.version.id).sample(today);
    samples[format.version.id] = {
      ...samples[format.version.id],
      [names.consent]: consent,
      ...(file ? { [names.file]: file } : {}),
      [names.order]: order,
      ...(funds ? { [names.funds]: funds } : {}),
    };
  }
  return samples;
}

/** The ids of the operations of a kind that have a body. */
export function sampleNames({
  id,
  format: { operationIds: ids },
}: Pick<ServedKind, "id" | "format">) {
  const name = pascalCase(id);
  return {
    consent: ids?.lodge ?? `Create${name}Consents`,
    file: `Create${name}ConsentsConsentIdFile`,
    order: ids?.submit ?? `Create${name}s`,
    funds: ids?.confirmFunds ?? "",
  };
}
