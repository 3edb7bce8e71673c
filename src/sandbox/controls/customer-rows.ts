import Type from "typebox";
import {
  type CustomerDocument,
  customerDocument,
  longestDocument,
} from "#src/sandbox/own-data/document.ts";
import type { ControlRow } from "./control-row.ts";
import { customer } from "./customer-shape.ts";
import { noCustomer, SandboxRefusal } from "./sandbox-refusal.ts";

const schemaShape = Type.Object(
  { $schema: Type.String(), title: Type.String() },
  { title: "JsonSchema", additionalProperties: true },
);

/** The operations on customers that developers bring. */
export const customerRows: readonly ControlRow[] = [
  {
    route: ["POST", "/customers"],
    operationId: "createCustomer",
    summary:
      "Creates a customer with accounts, transactions, payees and regular payments; all of it or " +
      "nothing. The password is LOGIN-sandbox.",
    query: {
      shift:
        "With true, the bank moves all dates of the customer from `asOf`, the time of the export, " +
        "to its own time.",
    },
    request: customerDocument,
    bodyLimit: longestDocument,
    response: { status: 201, schema: customer },
    handle: ({ customers }, body: CustomerDocument, { shift = "false" }) => {
      if (shift === "true" || shift === "false") {
        return customers.create(body, { shift: shift === "true" });
      }
      throw new SandboxRefusal(400, "The parameter shift must be true or false.");
    },
  },
  {
    route: ["GET", "/customers/:login/export"],
    operationId: "exportCustomer",
    summary: "Returns a customer in the form in which POST /sandbox/v1/customers accepts one.",
    response: { status: 200, schema: customerDocument },
    handle: ({ customers }, _body, params) => customers.export(loginOf(params)),
  },
  {
    route: ["DELETE", "/customers/:login"],
    operationId: "deleteCustomer",
    summary:
      "Deletes a customer who was created here: ends the consents and orders, closes the accounts, " +
      "and lets nobody log in any more.",
    response: { status: 200, schema: Type.Object({ login: Type.String() }) },
    async handle({ customers }, _body, params) {
      const login = loginOf(params);
      await customers.delete(login);
      return { login };
    },
  },
  {
    route: ["GET", "/schemas/customer"],
    operationId: "readCustomerSchema",
    summary: "Returns the JSON schema of a customer, to check and complete files with.",
    response: { status: 200, schema: schemaShape },
    handle: async () => ({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...customerDocument,
    }),
  },
];

// an invalid login is treated as an unknown one
function loginOf({ login = "" }: Record<string, string>): string {
  if (/^[\w.-]{1,64}$/.test(login)) return login;
  throw noCustomer(login);
}
