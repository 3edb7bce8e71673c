import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { Compile } from "typebox/compile";
import { present } from "#src/lib/assert.ts";
import { resourcesOf } from "#src/pages/portal/api-document.ts";
import { answerOf, resolver, sizeOf } from "#src/pages/portal/schema.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { controlRows } from "#src/sandbox/controls/interface.ts";
import { sandboxSamples } from "#src/sandbox/controls/interface-samples.ts";
import { listDocuments } from "#src/server/portal/documents.ts";
import { operations } from "./portal-bed.ts";

const documents = listDocuments({
  publicUrl: "http://localhost:8080",
  mtlsUrl: "https://localhost:8443",
  operations,
  kinds: paymentKinds,
  isSandbox: true,
}).map(({ make, ...rest }) => ({ ...rest, document: make(), samples: {} }));

/** The answers of the pages, as JSON, by the operation's name. */
const answers = documents.flatMap((listed) => {
  const resolve = resolver(listed.document);
  return resourcesOf(listed).flatMap((resource) =>
    resource.operations.flatMap(({ id, answer }) =>
      answer.schema && answer.types.includes("application/json")
        ? [
            {
              name: `${listed.id} ${id}`,
              schema: answer.schema,
              listed,
              value: answerOf(answer.schema, resolve),
            },
          ]
        : [],
    ),
  );
});

test("every answer that a page of the portal shows has content", () => {
  assert.ok(answers.length > 150);
  const empty = answers.filter(({ value, schema, listed }) => {
    // a file has no members, nor has the answer whose members a client chooses
    if (sizeOf(schema, resolver(listed.document)) === 0) return false;
    const { Data = value } = value as { Data?: unknown };
    return JSON.stringify(Data) === "{}";
  });
  assert.deepEqual(
    empty.map(({ name }) => name),
    [],
  );
});

test("every answer of the standard's APIs that a page of the portal shows is valid", () => {
  const ajv = new Ajv({ strict: false, validateFormats: true });
  formats.default(ajv);
  for (const { id, document } of documents) ajv.addSchema(document, id);
  const invalid = answers
    .filter(({ listed }) => listed.id !== "sandbox-v1")
    .flatMap(({ name, schema, listed, value }) => {
      const reference = schema.$ref ? { $ref: `${listed.id}${schema.$ref}` } : schema;
      const validate = ajv.compile(reference);
      return validate(value) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`];
    });
  assert.deepEqual(invalid, []);
});

test("every body that the pages of the sandbox's controls start from is accepted by its control", () => {
  for (const [id, sample] of Object.entries(sandboxSamples)) {
    const row = controlRows.find(({ operationId }) => operationId === id);
    // a reader fills in the ids
    const filled = JSON.parse(JSON.stringify(sample, (_, value) => (value === "" ? "id" : value)));
    assert.deepEqual(Compile(present(row?.request, id)).Errors(filled), [], id);
  }
});
