import type {
  ClientDetails,
  ClientOperator,
  ManualOutcome,
  ShownClient,
} from "#src/registration/client-operator.ts";
import type { RegistrationFault } from "#src/registration/fault.ts";
import type {
  DirectorySoftware,
  KeyRequest,
  SoftwareRequest,
} from "#src/sandbox/directory/software-register.ts";

/** Calls an operation of the sandbox's interface. */
export type ControlCall = (method: string, path: string, body?: object) => Promise<unknown>;

/** Registration in a running sandbox, through its own interface. */
export type RemoteRegistration = {
  /** The registered clients, as the bank's operators see them. */
  clients: ClientOperator;
  /** Lists the rules that a registration request breaks. */
  lint(request: { request: string; certificatePem?: string }): Promise<RegistrationFault[]>;
  /** The sandbox's directory, as a TPP uses it. */
  directory: {
    enter(request: SoftwareRequest): Promise<DirectorySoftware>;
    certify(softwareId: string, request: KeyRequest): Promise<IssuedKey>;
    /** Returns a new software statement. */
    state(softwareId: string): Promise<string>;
  };
};

type IssuedKey = { kid: string; certificatePem: string; caPem: string };

const clientPath = (clientId: string): string => `/clients/${encodeURIComponent(clientId)}`;
const softwarePath = (softwareId: string): string => `/directory/software/${softwareId}`;

/** Makes the functions that call a sandbox. The sandbox has checked what it returns. */
export const remoteRegistration = (call: ControlCall): RemoteRegistration => ({
  clients: {
    list: async () => ((await call("GET", "/clients")) as { clients: ShownClient[] }).clients,
    show: async (clientId) => (await call("GET", clientPath(clientId))) as ClientDetails,
    add: async (request) => (await call("POST", "/clients", request)) as ManualOutcome,
    async setStatus(clientId, status) {
      const answer = await call("PUT", `${clientPath(clientId)}/status`, { status });
      return (answer as { isChanged: boolean }).isChanged;
    },
    async check(clientId) {
      const answer = await call("POST", `${clientPath(clientId)}/status-checks`, {});
      return (answer as { failure: string | null }).failure;
    },
  },
  async lint(request) {
    const answer = await call("POST", "/registrations/lint", request);
    return (answer as { faults: RegistrationFault[] }).faults;
  },
  directory: {
    enter: async (request) =>
      (await call("POST", "/directory/software", request)) as DirectorySoftware,
    certify: async (softwareId, request) =>
      (await call("POST", `${softwarePath(softwareId)}/keys`, request)) as IssuedKey,
    async state(softwareId) {
      const answer = await call("POST", `${softwarePath(softwareId)}/statements`, {});
      return (answer as { statement: string }).statement;
    },
  },
});
