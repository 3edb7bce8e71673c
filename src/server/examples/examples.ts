import { present } from "#src/lib/assert.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { Demo, KindExamples, OfferedKind } from "./example.ts";
import { inGermany } from "./payment-examples.ts";
import { examplesV31 } from "./pisp-v3.1.ts";
import { examplesV40 } from "./pisp-v4.0.ts";

// The example bodies of the API reference and the demo. The published kinds have theirs here, by
// version; a kind that a bank adds brings its own (example.ts).

const published: Partial<Record<ApiVersionId, typeof examplesV40>> = {
  "pisp-v3.1": examplesV31,
  "pisp-v4.0": examplesV40,
};

/** The example bodies of a kind in a version. */
export const examplesIn = ({ id, examples }: OfferedKind, version: ApiVersionId): KindExamples =>
  present(
    examples?.[version] ?? published[version]?.[id],
    `the examples of ${id} in ${version} (src/server/examples/)`,
  );

const abroad: Demo = { creditor: inGermany, advance: "P10D" };
// the date is three days ahead, and a weekend with bank holidays may add five
const later: Demo = { advance: "P8D" };

const demos: Partial<Record<PaymentKindId, Demo>> = {
  "domestic-scheduled-payment": later,
  "domestic-standing-order": later,
  "international-payment": { ...abroad, advance: "P2D" },
  "international-scheduled-payment": abroad,
  "international-standing-order": abroad,
  "domestic-vrp": { advance: null, nextPeriod: "P7D" },
};

/** How the demo runs a kind. */
export const demoOf = ({ id, demo }: OfferedKind): Demo => demo ?? demos[id] ?? { advance: null };
