import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "#src/http/body/field-words.ts";
import { findFaults } from "#src/http/body/find-faults.ts";
import { controlRows } from "#src/sandbox/controls/interface.ts";

/** The texts with a pattern in a schema. */
function* patterned(schema: JsonSchema): Generator<JsonSchema> {
  if (schema.pattern !== undefined) yield schema;
  for (const part of Object.values(schema)) {
    if (typeof part === "object" && part !== null) yield* patterned(part as JsonSchema);
  }
}

test("a refusal of the sandbox's controls says in words what a text must look like", () => {
  const schemas = controlRows.flatMap(({ request }) =>
    request ? [...patterned(request as JsonSchema)] : [],
  );
  assert.ok(schemas.length > 15);
  for (const schema of schemas) {
    const [fault] = findFaults(schema, "~ ~");
    const message = fault?.message ?? "";
    assert.match(message, /a string with .*/, schema.pattern ?? "");
    assert.doesNotMatch(message, /that matches/, schema.pattern ?? "");
    const [, example = ""] = /such as ([^,]*)/.exec(message) ?? [];
    assert.deepEqual(findFaults(schema, example.replace(/\.$/, "")), [], message);
  }
});
