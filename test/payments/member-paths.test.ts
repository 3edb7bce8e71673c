import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { formatIn, servedKinds } from "#src/payments/definitions/payment-kind.ts";
import { jsonFormat } from "#src/payments/files/json-format.ts";
import { hasPath } from "#src/payments/formats/check-paths.ts";
import {
  type Format,
  type InstructionFormat,
  initiationFormat,
} from "#src/payments/formats/format.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { kindNamed } from "#src/standard/kind-id.ts";

// Bodies are read by dotted paths, which the compiler cannot compare with the schemas. A bank whose
// format has a path that no schema has does not open.

const [id, version] = ["domestic-vrp", "pisp-v4.0"] as const;
const vrp = kindNamed(id, paymentKinds);
const format = formatIn(vrp, version);
const lost = "Data.Initiation.CreditorAcount";

const instruction = present(format.instruction, "the instruction of an order");
const funds = present(instruction.funds, "the request for a funds confirmation");

/** A format whose orders have this change. */
const ordered = (change: Partial<InstructionFormat>): Partial<Format> => ({
  instruction: { ...instruction, ...change },
});

const wrong: [title: string, change: Partial<Format>][] = [
  ["of a member of the consent", { paths: { ...format.paths, creditor: lost } }],
  ["of a reference", { otherPaths: [lost] }],
  ["of a member of the order", ordered({ paths: { ...instruction.paths, creditor: lost } })],
  ["of the payment in the order", ordered({ at: lost })],
  ["of a part that the order repeats", { repeated: [lost] }],
  [
    "of a part that the order repeats elsewhere",
    ordered({ repeated: [{ consented: lost, ordered: "Data.Instruction.CreditorAccount" }] }),
  ],
  [
    "to which the order repeats it",
    ordered({ repeated: [{ consented: "Data.Initiation.CreditorAccount", ordered: lost }] }),
  ],
  ["of the debtor that the customer chose", ordered({ chosenDebtor: lost })],
  [
    "of a request for a funds confirmation",
    ordered({ funds: { ...funds, paths: { reference: lost } } }),
  ],
  [
    "of the reference that such a request may repeat",
    ordered({ funds: { ...funds, references: [lost] } }),
  ],
];

for (const [title, change] of wrong) {
  test(`a bank does not open with a wrong path ${title}`, () => {
    const kind = { ...vrp, formats: { [version]: { ...format, ...change } } };
    assert.throws(() => listOperations([kind]), {
      message: `${id} in ${version}: no schema has ${lost}. Correct the paths of the format.`,
    });
  });
}

test("a file format is not made with a wrong path into its initiations", () => {
  const single = initiationFormat(
    formatIn(kindNamed("domestic-payment", paymentKinds), "pisp-v4.0"),
  );
  const paths = { ...single.paths, creditor: lost };
  const payloads = { DomesticPayments: { kind: domesticPayment, format: { ...single, paths } } };
  assert.throws(() => jsonFormat({ fileType: "UK.Test.1", payloads }), /CreditorAcount/);
});

test("each member of every served format is in one of its schemas, and an item's in its list", () => {
  const formats = paymentKinds.flatMap(servedKinds);
  assert.ok(formats.length >= 9);
  for (const { format: each } of formats) {
    const { consentRequest, orderRequest } = each.schemas;
    assert.ok(Object.keys(each.paths).length > 10);
    for (const path of Object.values<string | undefined>(each.paths)) {
      assert.ok(path && (hasPath(consentRequest, path) || hasPath(orderRequest, path)));
    }
  }
  const { consentRequest } = format.schemas;
  const limits = "Data.ControlParameters.PeriodicLimits";
  assert.ok(hasPath(consentRequest, `${limits}[].Amount`));
  assert.ok(!hasPath(consentRequest, `${limits}.Amount`));
  assert.ok(!hasPath(consentRequest, `${limits}[].Amounts`));
});
