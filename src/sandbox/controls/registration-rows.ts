import Type from "typebox";
import { profileIds } from "#src/clients/security-profile.ts";
import { subjectOfPem } from "#src/registration/certificate-subject.ts";
import type { ManualRegistration } from "#src/registration/client-operator.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import type {
  KeyRequest,
  SoftwareChange,
  SoftwareRequest,
} from "#src/sandbox/directory/software-register.ts";
import { ownChannel } from "#src/sandbox/personas/store-own-orders.ts";
import type { ControlRow } from "./control-row.ts";
import type { SandboxControls } from "./controls.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const closed = { additionalProperties: false };
const text = Type.String({ minLength: 1, maxLength: 65_536 });
const texts = Type.Array(Type.String());
const anything = Type.Object({}, { title: "RegisteredClient", additionalProperties: true });
const roles = Type.Array(Type.Union(tppRoles.map((role) => Type.Literal(role))));

const software = Type.Object(
  {
    organisationId: text,
    softwareId: text,
    name: text,
    onBehalfOf: Type.Union([text, Type.Null()]),
    roles,
    redirectUris: texts,
    organisationStatus: text,
    softwareStatus: text,
    keys: Type.Array(
      Type.Object(
        {
          kid: text,
          use: Type.Union([Type.Literal("transport"), Type.Literal("signing")]),
          isRevoked: Type.Boolean(),
        },
        { title: "SoftwareKey" },
      ),
    ),
  },
  { title: "Software" },
);
const softwareRequest = Type.Object(
  {
    name: Type.String({ description: "The name that customers see: 1 to 40 characters." }),
    roles,
    redirectUris: texts,
    onBehalfOf: Type.Optional(Type.String({ description: "The firm that the TPP acts for." })),
  },
  closed,
);
const statuses = ["Active", "Revoked", "Withdrawn"].map((status) => Type.Literal(status));
const softwareStatuses = ["Active", "Inactive", "Revoked"].map((status) => Type.Literal(status));
const softwareChange = Type.Object(
  {
    organisationStatus: Type.Optional(Type.Union(statuses)),
    softwareStatus: Type.Optional(Type.Union(softwareStatuses)),
    roles: Type.Optional(roles),
    redirectUris: Type.Optional(texts),
  },
  closed,
);
const keyRequest = Type.Object(
  {
    use: Type.Union([Type.Literal("transport"), Type.Literal("signing")]),
    publicKeyPem: Type.String({ description: "An RSA public key of at least 2048 bits." }),
  },
  closed,
);
// a body of JSON, even an empty one, keeps out the pages of other origins
const nothing = Type.Object({}, closed);
const issued = Type.Object({ kid: text, certificatePem: text, caPem: text });

const found = async <Value extends object>(value: Promise<Value | null>): Promise<Value> => {
  const made = await value;
  if (!made) throw new SandboxRefusal(404, "The directory has no software or key with that id.");
  return made;
};

const directoryRows: readonly ControlRow[] = [
  {
    route: ["POST", "/directory/software"],
    operationId: "enterSoftware",
    summary: "Enters an organisation with one piece of software in the sandbox's directory.",
    request: softwareRequest,
    response: { status: 201, schema: software },
    handle: ({ register }, body: SoftwareRequest) => register.enter(body),
  },
  {
    route: ["GET", "/directory/software/:softwareId"],
    operationId: "readSoftware",
    summary:
      "Returns the software in the directory, with its keys and the status of its organisation.",
    response: { status: 200, schema: software },
    handle: ({ register }, _body, { softwareId = "" }) => found(register.find(softwareId)),
  },
  {
    route: ["PUT", "/directory/software/:softwareId"],
    operationId: "changeSoftware",
    summary:
      "Changes the status of the organisation or of the software, the roles or the redirect URIs.",
    request: softwareChange,
    response: { status: 200, schema: software },
    handle: ({ register }, body: SoftwareChange, { softwareId = "" }) =>
      found(register.change(softwareId, body)),
  },
  {
    route: ["POST", "/directory/software/:softwareId/keys"],
    operationId: "certifyKey",
    summary: "Issues a certificate for a key, and publishes the key in the software's JWKS.",
    request: keyRequest,
    response: { status: 201, schema: issued },
    handle: ({ register }, body: KeyRequest, { softwareId = "" }) =>
      found(register.certify(softwareId, body)),
  },
  {
    route: ["POST", "/directory/software/:softwareId/keys/:kid/revocation"],
    operationId: "revokeKey",
    summary: "Revokes a key: it moves to the software's JWKS of revoked keys.",
    request: nothing,
    response: { status: 200, schema: software },
    handle: ({ register }, _body, { softwareId = "", kid = "" }) =>
      found(register.revoke(softwareId, kid)),
  },
  {
    route: ["POST", "/directory/software/:softwareId/statements"],
    operationId: "issueStatement",
    summary: "Issues a software statement.",
    request: nothing,
    response: { status: 201, schema: Type.Object({ statement: text }) },
    async handle({ register }, _body, { softwareId = "" }) {
      const statement = await register.state(softwareId);
      if (statement === null) throw new SandboxRefusal(404, "There is no such software.");
      return { statement };
    },
  },
];

const faults = Type.Array(
  Type.Object({ rule: text, error: text, description: text }, { title: "RegistrationFault" }),
);
const manual = Type.Object(
  {
    statement: text,
    method: Type.Union([Type.Literal("private_key_jwt"), Type.Literal("tls_client_auth")]),
    certificatePem: text,
    profile: Type.Optional(Type.Union(profileIds.map((id) => Type.Literal(id)))),
    scope: Type.Optional(text),
  },
  closed,
);
const status = Type.Object(
  {
    status: Type.Union(["active", "suspended", "removed"].map((word) => Type.Literal(word))),
  },
  closed,
);

const noClient = "There is no client with that id.";

/** Removes a TPP for good, as an operator of the bank would. */
export async function deleteTpp(
  { clients }: Pick<SandboxControls, "clients">,
  clientId: string,
): Promise<void> {
  // an invalid id is treated as an unknown id
  const client = /^[\w-]{1,64}$/.test(clientId) ? await clients.show(clientId) : null;
  // the bank's own channel is no TPP
  if (!client || clientId === ownChannel.clientId) throw new SandboxRefusal(404, noClient);
  await clients.setStatus(clientId, "removed");
}

const clientRows: readonly ControlRow[] = [
  {
    route: ["DELETE", "/tpps/:clientId"],
    operationId: "deleteTpp",
    summary:
      "Removes a TPP for good: its tokens, its access and its registration for events end. Its " +
      "orders stay.",
    response: { status: 200, schema: Type.Object({ clientId: text }) },
    async handle(controls, _body, { clientId = "" }) {
      await deleteTpp(controls, clientId);
      return { clientId };
    },
  },
  {
    route: ["GET", "/clients"],
    operationId: "listClients",
    summary: "Lists the registered clients, as the bank's operators see them.",
    response: { status: 200, schema: Type.Object({ clients: Type.Array(anything) }) },
    handle: async ({ clients }) => ({ clients: await clients.list() }),
  },
  {
    route: ["POST", "/clients"],
    operationId: "addClient",
    summary: "Registers a client from a software statement, as an operator of the bank does.",
    request: manual,
    response: {
      status: 200,
      schema: Type.Object({
        clientId: Type.Union([text, Type.Null()]),
        faults: Type.Union([faults, Type.Null()]),
      }),
    },
    handle: ({ clients }, body: ManualRegistration) => clients.add(body),
  },
  {
    route: ["GET", "/clients/:clientId"],
    operationId: "readClient",
    summary: "Returns a client with its keys and its newest attempts to register.",
    response: { status: 200, schema: anything },
    async handle({ clients }, _body, { clientId = "" }) {
      const client = await clients.show(clientId);
      if (!client) throw new SandboxRefusal(404, noClient);
      return client;
    },
  },
  {
    route: ["PUT", "/clients/:clientId/status"],
    operationId: "setClientStatus",
    summary: "Suspends, restores or removes a client.",
    request: status,
    response: { status: 200, schema: Type.Object({ isChanged: Type.Boolean() }) },
    handle: async (
      { clients },
      body: { status: "active" | "suspended" | "removed" },
      { clientId = "" },
    ) => ({ isChanged: await clients.setStatus(clientId, body.status) }),
  },
  {
    route: ["POST", "/clients/:clientId/status-checks"],
    operationId: "checkClientStatus",
    summary:
      "Reads the status of the client's organisation and software in the directory now, and " +
      "suspends or restores the client accordingly.",
    request: nothing,
    response: {
      status: 200,
      schema: Type.Object({ failure: Type.Union([text, Type.Null()]) }),
    },
    async handle({ clients }, _body, { clientId = "" }) {
      if (!(await clients.show(clientId))) throw new SandboxRefusal(404, noClient);
      return { failure: await clients.check(clientId) };
    },
  },
  {
    route: ["POST", "/registrations/lint"],
    operationId: "lintRegistration",
    summary: "Lists the rules that a registration request breaks, without registering anything.",
    request: Type.Object({ request: text, certificatePem: Type.Optional(text) }, closed),
    response: { status: 200, schema: Type.Object({ faults }) },
    async handle({ lint }, body: { request: string; certificatePem?: string }) {
      const verdict = await lint({
        text: body.request,
        subject: body.certificatePem === undefined ? null : subjectOfPem(body.certificatePem),
        clientId: null,
      });
      return { faults: verdict.faults };
    },
  },
];

/** The operations of the directory, and those of the bank's operators on clients. */
export const registrationRows: readonly ControlRow[] = [...directoryRows, ...clientRows];
