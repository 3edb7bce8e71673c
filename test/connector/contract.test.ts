import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bankOpenApi, documentId } from "#src/connector/document.ts";
import { present } from "#src/lib/assert.ts";
import { breakingChanges } from "./breaking-changes.ts";

const frozen = JSON.parse(
  readFileSync(new URL(`frozen/${documentId}.json`, import.meta.url), "utf8"),
) as Document;
const current = JSON.parse(JSON.stringify(bankOpenApi())) as Document;

type Schema = {
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: unknown[];
  [keyword: string]: unknown;
};
type Operation = {
  parameters: { $ref?: string; name?: string; in?: string; required?: boolean }[];
  "x-optional"?: boolean;
  "x-parts"?: string[];
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Required<Schema>> };
};

test("no release breaks the cores that fulfil the contract", () => {
  assert.deepEqual(breakingChanges(frozen, current), []);
});

test("the frozen copy of the contract has every addition", () => {
  const command = `./aldgate openapi ${documentId} > test/connector/frozen/${documentId}.json`;
  assert.deepEqual(current, frozen, `if no core breaks, update the copy with ${command}`);
});

type Change = (document: Document) => void;
const schemaOf = ({ components }: Document, name: string): Required<Schema> =>
  components.schemas[name] as Required<Schema>;
const operationOf = (paths: Document["paths"], path: string): Operation =>
  present(paths[path]?.post ?? paths[path]?.get, path);
const drop = (schema: Required<Schema>, name: string) =>
  schema.required.splice(schema.required.indexOf(name), 1);

const breaking: Record<string, Change> = {
  "an operation is removed": ({ paths }) => delete paths["/payments/ask"],
  "a header is removed": ({ paths }) => paths["/about"]?.get?.parameters.shift(),
  "a request loses a member": (document) =>
    delete schemaOf(document, "PaymentInstruction").properties.reference,
  "a member of a request may be absent": (document) =>
    drop(schemaOf(document, "PaymentInstruction"), "amount"),
  "a member of a request may be null": (document) => {
    schemaOf(document, "PaymentInstruction").properties.debtorAccountId = {
      type: ["string", "null"],
    };
  },
  "a text of a request becomes longer": (document) => {
    schemaOf(document, "PaymentInstruction").properties.paymentId = {
      type: "string",
      minLength: 1,
      maxLength: 80,
    };
  },
  "an answer needs one more member": (document) =>
    schemaOf(document, "Challenge").required.push("sentTo"),
  "a member of an answer is not read any more": (document) =>
    delete schemaOf(document, "ListedAccount").properties.funds,
  "an answer may not have a value any more": (document) =>
    schemaOf(document, "Account").properties.status?.enum?.pop(),
  "an answer may not be an outcome any more": (document) =>
    (schemaOf(document, "PaymentOutcome").anyOf as unknown[]).pop(),
  "a text of an answer needs another form": (document) => {
    schemaOf(document, "Amount").properties.amount = { type: "string", pattern: "^[0-9]+$" };
  },
  "a fact needs one more member": (document) =>
    schemaOf(document, "TransactionFact").required.push("information"),
  "an operation is no longer optional": ({ paths }) =>
    delete operationOf(paths, "/payments/list")["x-optional"],
  "an operation is for another part": ({ paths }) => {
    operationOf(paths, "/payees/list")["x-parts"] = ["payees", "funds-confirmation"];
  },
  "an operation is for every core": ({ paths }) =>
    delete operationOf(paths, "/payees/list")["x-parts"],
  "an operation is added that no core may lack": ({ paths }) => {
    paths["/payments/recall"] = { post: { parameters: [] } };
  },
  "an operation is added that cores with payees must have": ({ paths }) => {
    paths["/payees/rename"] = { post: { parameters: [], "x-parts": ["payees"] } };
  },
  "a failed call needs one more member": (document) =>
    schemaOf(document, "Problem").required.push("detail"),
  "a failed call may not have an outcome any more": (document) =>
    schemaOf(document, "Problem").properties.outcome?.enum?.pop(),
  "another version of the contract is asked for": ({ components }) => {
    components.parameters["Aldgate-Contract"] = {
      ...present(components.parameters["Aldgate-Contract"], "the header"),
      schema: { type: "string", enum: ["2"] },
    };
  },
  "a header has another form": ({ components }) => {
    components.parameters["Aldgate-Deadline-Ms"] = {
      ...present(components.parameters["Aldgate-Deadline-Ms"], "the header"),
      schema: { type: "string" },
    };
  },
  "a date has no format any more": ({ components }) => {
    const [dated] = Object.values(components.schemas).flatMap(({ properties = {} }) =>
      Object.values(properties).filter(({ format }) => format !== undefined),
    );
    delete present(dated, "a member with a format").format;
  },
  "a core must send one more parameter": ({ paths }) =>
    operationOf(paths, "/core/v1/changes").parameters.push({
      name: "batch",
      in: "query",
      required: true,
    }),
  "a core must say more in a request to Aldgate": (document) =>
    schemaOf(document, "NudgePaymentsRequest").required.push("reason"),
  "a core learns less from an answer of Aldgate": (document) =>
    delete schemaOf(document, "SendChangesResult").properties.refused,
};

for (const [name, change] of Object.entries(breaking)) {
  test(`a change of the contract is found to break cores when ${name}`, () => {
    const changed = structuredClone(frozen);
    change(changed);
    assert.notDeepEqual(breakingChanges(frozen, changed), []);
  });
}

const additions: Record<string, Change> = {
  "an optional operation is added": ({ paths }) => {
    paths["/payments/recall"] = { post: { parameters: [], "x-optional": true } };
  },
  "an operation is added for a part that no core can have yet": ({ paths }) => {
    paths["/cards/list"] = { post: { parameters: [], "x-parts": ["cards"] } };
  },
  "such a part has a name that the contract uses for something else": ({ paths }) => {
    paths["/accounts/describe"] = { post: { parameters: [], "x-parts": ["accounts"] } };
  },
  "an operation becomes optional": ({ paths }) => {
    operationOf(paths, "/payees/list")["x-optional"] = true;
  },
  "a request has one more member": (document) => {
    const instruction = schemaOf(document, "PaymentInstruction");
    instruction.properties.urgency = { type: "string" };
    instruction.required.push("urgency");
  },
  "a request has one more value": (document) =>
    schemaOf(document, "Notice").properties.occasion?.enum?.push("order-paused"),
  "an answer may have one more member": (document) => {
    schemaOf(document, "Account").properties.colour = { type: "string" };
  },
  "an answer may have one more value": (document) =>
    schemaOf(document, "Account").properties.status?.enum?.push("Dormant"),
  "an answer may lack a member": (document) => drop(schemaOf(document, "Account"), "nickname"),
};

for (const [name, change] of Object.entries(additions)) {
  test(`a change of the contract breaks no core when ${name}`, () => {
    const changed = structuredClone(frozen);
    change(changed);
    assert.notDeepEqual(changed, frozen);
    assert.deepEqual(breakingChanges(frozen, changed), []);
  });
}
