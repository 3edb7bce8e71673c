import { present } from "#src/lib/assert.ts";
import type { PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import { pascalCase } from "#src/payments/pisp-operation.ts";
import { referenceSamples } from "#src/server/reference-samples.ts";
import type { TestBank } from "#test/harness.ts";

/** An example body of the reference. */
export type Sample = {
  Data: Record<string, unknown> & { Initiation: Record<string, unknown> };
  Risk?: unknown;
};

/** The reference's examples for a kind: bodies, and the file if its consents need one. */
export type KindSample = { consent: Sample; order: Sample; file: object | undefined };

/** Returns the examples for a kind on the bank's day. The caller may change them. */
export function kindSample({ clock }: TestBank, kind: PaymentKind): KindSample {
  const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
  const samples = referenceSamples([kind], today)["pisp-v4.0"] ?? {};
  const name = pascalCase(kind.id);
  const sample = (operation: string) =>
    structuredClone(present(samples[operation], operation)) as Sample; // as the reference has it
  return {
    consent: sample(`Create${name}Consents`),
    order: sample(`Create${name}s`),
    file: samples[`Create${name}ConsentsConsentIdFile`],
  };
}
