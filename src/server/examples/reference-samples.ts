import { accountVersions } from "#src/accounts/account-versions.ts";
import { accountSamples } from "#src/accounts/consent/access-sample.ts";
import type { BankAbout } from "#src/bank/parts.ts";
import { eventSamples } from "#src/events/event-samples.ts";
import { eventVersions } from "#src/events/event-versions.ts";
import { fundsSamples } from "#src/funds/funds-sample.ts";
import { fundsVersions } from "#src/funds/funds-versions.ts";
import { type ServedKind, servedKinds } from "#src/payments/definitions/payment-kind.ts";
import { pascalCase } from "#src/payments/pisp-operation.ts";
import type { OfferedKind } from "./example.ts";
import { examplesIn } from "./examples.ts";

/** The bodies that the API reference starts from, by API version and operation id. */
export type ReferenceSamples = Readonly<Record<string, Readonly<Record<string, object>>>>;

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
