import { accountSamples } from "#src/accounts/access-sample.ts";
import { accountVersions } from "#src/accounts/account-versions.ts";
import { type PaymentKind, servedKinds } from "#src/payments/kinds/payment-kind.ts";
import { pascalCase } from "#src/payments/pisp-operation.ts";

/** The bodies that the API reference starts from, by API version and operation id. */
export type ReferenceSamples = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** The bodies for the operations on accounts and on these payment kinds. */
export function referenceSamples(
  kinds: readonly PaymentKind[],
  today: Temporal.PlainDate,
): ReferenceSamples {
  const samples = Object.fromEntries(accountVersions.map(({ id }) => [id, { ...accountSamples }]));
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
