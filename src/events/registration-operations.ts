import { notYours } from "#src/http/access/access.ts";
import { ApiError, refusal } from "#src/http/api-error.ts";
import { compileSchema } from "#src/http/body/validate.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { returnedBy } from "#src/http/refusal/id-words.ts";
import { newId } from "#src/lib/ids.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { Database } from "#src/storage/database.ts";
import { type RegistrationRules, readRegistration } from "./read-registration.ts";
import {
  changeRegistration,
  type EventRegistration,
  endRegistration,
  findRegistration,
  isOfAnother,
  type RegistrationKey,
  storeRegistration,
} from "./registration.ts";
import type { FormRow } from "./registration-forms.ts";

/**
 * Returns the operations to create, list, change and delete one kind of registration. Requests and
 * responses are signed. Source: EV-09, EV-25, EV-27, EV-28.
 */
export const registrationOperations = (
  api: ApiVersion,
  row: FormRow,
  deps: RegistrationDeps,
): Operation[] =>
  [creation, list, change, ending].map((make) => ({
    api,
    tag: row.tag,
    grant: "client_credentials",
    signed: true,
    idempotent: false,
    request: null,
    ...make(row, deps, api),
  }));

type Made = Pick<
  Operation,
  "operationId" | "summary" | "method" | "path" | "success" | "refusals" | "handle"
> &
  Partial<Pick<Operation, "request">>;
type RegistrationDeps = RegistrationRules & { database: Database };
type Make = (row: FormRow, deps: RegistrationDeps, api: ApiVersion) => Made;

const creation: Make = (row, deps, api) => {
  const schema = compileSchema(row.create);
  return {
    operationId: `Create${row.name}`,
    summary: `Create ${row.tag}`,
    method: "POST",
    path: row.path,
    request: row.create,
    success: { status: 201, schema: row.one },
    refusals: { 400: ["U002", "U004", "U005", "U024"], 409: ["U029"] },
    async handle(request) {
      const chosen = readRegistration(row, schema, request.body, deps);
      const key = { clientId: clientOf(request), subscriptionId: newId(row.idPrefix) };
      const given = { ...key, form: row.form, apiVersion: api.id, ...chosen };
      const { serves } = api.consents;
      const stored = await storeRegistration(deps.database, given, serves, request.now);
      if (!stored) throw exists();
      return reply(row, 201, stored, request);
    },
  };
};

const list: Make = (row, { database }, api) => ({
  operationId: `Get${row.name}`,
  summary: `Get ${row.tag}`,
  method: "GET",
  path: row.path,
  success: { status: 200, schema: row.list },
  refusals: {},
  async handle(request) {
    const found = await findRegistration(database, {
      clientId: clientOf(request),
      form: row.form,
      serves: api.consents.serves,
    });
    const entries = found ? [dataOf(row, found)] : [];
    return envelop(200, { [row.listField]: entries }, `${request.baseUrl}${row.path}`);
  },
});

const change: Make = (row, deps, api) => {
  const schema = compileSchema(row.one);
  return {
    operationId: `Change${row.name}${row.idField}`,
    summary: `Change ${row.tag}`,
    method: "PUT",
    path: `${row.path}/:${row.idField}`,
    request: row.one,
    success: { status: 200, schema: row.one },
    refusals: { 400: ["U002", "U004", "U005", "U011", "U024"], 403: ["U011"] },
    async handle(request) {
      const key = keyOf(row, api, request);
      const chosen = readRegistration(row, schema, request.body, deps);
      checkId(row, request);
      const changed = await changeRegistration(deps.database, key, chosen, request.now);
      if (!changed) throw await absence(deps.database, row, key);
      return reply(row, 200, changed, request);
    },
  };
};

const ending: Make = (row, { database }, api) => ({
  operationId: `Delete${row.name}${row.idField}`,
  summary: `Delete ${row.tag}`,
  method: "DELETE",
  path: `${row.path}/:${row.idField}`,
  success: { status: 204, schema: null },
  refusals: { 400: ["U011"], 403: ["U011"] },
  async handle(request) {
    const key = keyOf(row, api, request);
    const isEnded = await endRegistration(database, key, request.now);
    if (!isEnded) throw await absence(database, row, key);
    return { status: 204, body: null };
  },
});

const exists = (): ApiError =>
  new ApiError(409, [
    {
      code: "U029",
      message: "This client already has a registration for events. Change it, or delete it first.",
    },
  ]);

const clientOf = ({ access }: OperationRequest): string => access.clientId;

// the bank's ids have only these characters, and any other text must not reach the database
const keyOf = (
  { form, idField }: FormRow,
  api: ApiVersion,
  request: OperationRequest,
): RegistrationKey => {
  const id = request.params[idField] ?? "";
  const subscriptionId = /^[\w-]{1,40}$/.test(id) ? id : "";
  return { clientId: clientOf(request), subscriptionId, form, serves: api.consents.serves };
};

function checkId({ idField }: FormRow, { body, params }: OperationRequest): void {
  const { Data } = body as { Data: Record<string, unknown> }; // its schema has been checked
  if (Data[idField] === params[idField]) return;
  throw refusal("U002", `Data.${idField}`, "The id must be the same as the id in the path.");
}

async function absence(
  database: Database,
  { idField, tag, path }: FormRow,
  key: RegistrationKey,
): Promise<ApiError> {
  if (await isOfAnother(database, key)) return notYours(idField);
  const message =
    `None of the ${tag} of this client has this id. Check the id: it must be ` +
    `${returnedBy(idField, path)}.`;
  return refusal("U011", idField, message);
}

const dataOf = (row: FormRow, registration: EventRegistration): object => ({
  [row.idField]: registration.subscriptionId,
  ...row.show(registration),
});

const reply = (
  row: FormRow,
  status: number,
  registration: EventRegistration,
  { baseUrl }: OperationRequest,
): OperationReply => {
  const self = `${baseUrl}${row.path}/${registration.subscriptionId}`;
  return envelop(status, dataOf(row, registration), self);
};

// Source: EV-15.
const envelop = (status: number, data: object, self: string): OperationReply => ({
  status,
  body: { Data: data, Links: { Self: self }, Meta: {} },
});
