import {
  type EventReceiver,
  listEventReceivers,
  listStoredEvents,
  type ResendRequest,
  resendEvents,
  type ShownEvent,
} from "#src/events/stored-events.ts";
import type { Cli } from "./command.ts";
import { inBank } from "./in-bank.ts";
import { BankRefused } from "./sandbox-client.ts";

/** Access to the events of a bank. */
type EventStore = {
  listReceivers(): Promise<EventReceiver[]>;
  list(clientId: string): Promise<ShownEvent[]>;
  /** Throws BankRefused if the TPP is not registered for events. */
  resend(clientId: string, request: ResendRequest): Promise<number>;
};

/** Calls `work` with access to the configured bank's events. */
export const withEvents = <T>(cli: Cli, work: (store: EventStore) => Promise<T>): Promise<T> =>
  inBank(cli, {
    sandbox: (client) =>
      work({
        listReceivers: client.listEventReceivers,
        list: client.listEvents,
        resend: client.resendEvents,
      }),
    database: (database) =>
      work({
        listReceivers: () => listEventReceivers(database),
        list: (clientId) => listStoredEvents(database, clientId),
        async resend(clientId, request) {
          const count = await resendEvents(database, clientId, request, cli.clock.now());
          if (count === null) throw new BankRefused("The TPP is not registered for events.");
          return count;
        },
      }),
  });
