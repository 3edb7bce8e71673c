import {
  type EventReceiver,
  listEventReceivers,
  listStoredEvents,
  type ResendRequest,
  resendEvents,
  type ShownEvent,
} from "#src/events/stored-events.ts";
import { openMadeDatabase } from "#src/server/opening/open-database.ts";
import type { Cli } from "./command.ts";
import { configOf } from "./load-config.ts";
import { BankRefused, configuredSandbox } from "./sandbox-client.ts";

/** Access to the events of a bank. */
type EventStore = {
  listReceivers(): Promise<EventReceiver[]>;
  list(clientId: string): Promise<ShownEvent[]>;
  /** Throws BankRefused if the TPP is not registered for events. */
  resend(clientId: string, request: ResendRequest): Promise<number>;
};

/**
 * Calls `work` with access to the configured bank's events: through the sandbox's interface if the
 * bank is a sandbox, otherwise in its database.
 */
export async function withEvents<T>(cli: Cli, work: (store: EventStore) => Promise<T>): Promise<T> {
  const config = configOf(cli.environment);
  if (config.ALDGATE_PROFILE === "sandbox") {
    const sandbox = configuredSandbox(cli);
    return work({
      listReceivers: sandbox.listEventReceivers,
      list: sandbox.listEvents,
      resend: sandbox.resendEvents,
    });
  }
  const database = await openMadeDatabase(config);
  try {
    return await work({
      listReceivers: () => listEventReceivers(database),
      list: (clientId) => listStoredEvents(database, clientId),
      async resend(clientId, request) {
        const count = await resendEvents(database, clientId, request, cli.clock.now());
        if (count === null) throw new BankRefused("The TPP is not registered for events.");
        return count;
      },
    });
  } finally {
    await database.close();
  }
}
