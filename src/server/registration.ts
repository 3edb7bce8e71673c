import type { FastifyInstance } from "fastify";
import type { KeyRefresh } from "#src/registration/refresh-keys.ts";
import type { RegistrationDeps } from "#src/registration/routes.ts";

/** The registration of clients, ready to be served. */
export type Registration = {
  deps: RegistrationDeps;
  keys: KeyRefresh;
  /** Serves the endpoint. */
  register(app: FastifyInstance): void;
  /** The regular work: to be called now and then. */
  sweep(): Promise<void>;
};
