import type { FastifyInstance } from "fastify";
import type { ClientOperator } from "#src/registration/client-operator.ts";
import type { KeyRefresh } from "#src/registration/refresh-keys.ts";
import type { RegistrationRequest, Verdict } from "#src/registration/verify-registration.ts";

/** The registration of clients: by TPPs, and by the bank's operators. */
export type OpenRegistration = {
  /** Whether TPPs can register themselves. */
  isOffered: boolean;
  keys: KeyRefresh;
  operator: ClientOperator;
  /** Checks a registration request without registering anything, and returns every fault. */
  lint(request: RegistrationRequest): Promise<Verdict>;
  /** The same for a software statement alone. */
  lintStatement(text: string): Promise<Verdict>;
  /** Serves the endpoint, if TPPs can register themselves. */
  register(app: FastifyInstance): void;
  /** The regular work: to be called now and then. */
  sweep(): Promise<void>;
};
