import { present } from "#src/lib/assert.ts";
import type { PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import { pascalCase } from "#src/payments/pisp-operation.ts";
import { referenceSamples } from "#src/server/reference-samples.ts";
import type { TestBank } from "#test/harness.ts";

/** A body that the reference starts from. */
export type Sample = {
  Data: Record<string, unknown> & { Initiation: Record<string, unknown> };
  Risk?: unknown;
};

/** What the reference starts from for a kind: bodies, and the file where its consents have one. */
export type KindSample = { consent: Sample; order: Sample; file: object | undefined };

/** The bodies for a kind on the bank's day; they are the caller's to change. */
export function kindSample({ clock }: TestBank, kind: PaymentKind): KindSample {
  const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
  const samples = referenceSamples([kind], today)["pisp-v4.0"] ?? {};
  const name = pascalCase(kind.id);
  const sample = (operation: string) =>
    structuredClone(present(samples[operation], operation)) as Sample; // what the reference holds
  return {
    consent: sample(`Create${name}Consents`),
    order: sample(`Create${name}s`),
    file: samples[`Create${name}ConsentsConsentIdFile`],
  };
}
