import { present } from "#src/lib/assert.ts";
import { formatIn, type PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { referenceSamples, sampleNames } from "#src/server/examples/reference-samples.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { TestBank } from "#test/harness.ts";

/** An example body of the reference. */
export type Sample = {
  Data: Record<string, unknown> & { Initiation: Record<string, unknown> };
  Risk?: unknown;
};

/** The reference's examples for a kind: bodies, and the file if its consents need one. */
export type KindSample = { consent: Sample; order: Sample; file: object | undefined };

/** Returns the examples for a kind on the bank's day. The caller may change them. */
export function kindSample(
  { clock }: Pick<TestBank, "clock">,
  kind: PaymentKind,
  version: ApiVersionId = "pisp-v4.0",
): KindSample {
  const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
  const samples = referenceSamples([kind], today)[version] ?? {};
  const names = sampleNames({ id: kind.id, format: formatIn(kind, version) });
  const sample = (operation: string) =>
    structuredClone(present(samples[operation], operation)) as Sample; // as the reference has it
  return {
    consent: sample(names.consent),
    order: sample(names.order),
    file: samples[names.file],
  };
}
