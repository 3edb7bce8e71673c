import { accountSamples } from "#src/accounts/access-sample.ts";
import { accountVersions } from "#src/accounts/account-versions.ts";
import { eventSamples } from "#src/events/event-samples.ts";
import { type PaymentKind, servedKinds } from "#src/payments/kinds/payment-kind.ts";
import { pascalCase } from "#src/payments/pisp-operation.ts";
import { eventsV40 } from "#src/standard/events-v4.0/version.ts";

/** The bodies that the API reference starts from, by API version and operation id. */
export type ReferenceSamples = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** The bodies for the operations on accounts, on events and on these payment kinds. */
export function referenceSamples(
  kinds: readonly PaymentKind[],
  today: Temporal.PlainDate,
): ReferenceSamples {
  const samples: Record<string, Readonly<Record<string, object>>> = {
    ...Object.fromEntries(accountVersions.map(({ id }) => [id, accountSamples])),
    [eventsV40.id]: eventSamples,
  };
  for (const { id, wire } of kinds.flatMap(servedKinds)) {
    const { consent, order, file } = wire.sample(today);
    const name = pascalCase(id);
    samples[wire.version.id] = {
      ...samples[wire.version.id],
      [`Create${name}Consents`]: consent,
      ...(file ? { [`Create${name}ConsentsConsentIdFile`]: file } : {}),
      [`Create${name}s`]: order,
    };
  }
  return samples;
}
