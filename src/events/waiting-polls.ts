/** Requests of TPPs that wait for an event. */
export type WaitingPolls = {
  /**
   * Waits until the client is called, the time has passed, or all requests are released. Returns
   * true if the client was called: events have arrived for it.
   */
  wait(clientId: string, milliseconds: number): Promise<boolean>;
  /** Returns the clients that have waiting requests. */
  clients(): string[];
  /** Wakes the waiting requests of these clients, because events have arrived. */
  call(clientIds: readonly string[]): void;
  /** Wakes all requests and lets no later request wait, because the process is closing. */
  release(): void;
};

// Further requests of the same client do not wait, because each would hold a connection.
const mostPerClient = 4;

/** Creates the list of a process's waiting requests. */
export function createWaitingPolls(): WaitingPolls {
  const waiting = new Map<string, Set<(isCalled: boolean) => void>>();
  let isReleased = false;
  const end = (clientId: string, isCalled: boolean): void => {
    for (const resolve of [...(waiting.get(clientId) ?? [])]) resolve(isCalled);
  };
  return {
    wait(clientId, milliseconds) {
      const own = waiting.get(clientId) ?? new Set();
      if (isReleased || milliseconds <= 0 || own.size >= mostPerClient) {
        return Promise.resolve(false);
      }
      waiting.set(clientId, own);
      return new Promise((resolve) => {
        const done = (isCalled: boolean): void => {
          clearTimeout(timer);
          own.delete(done);
          if (own.size === 0) waiting.delete(clientId);
          resolve(isCalled);
        };
        const timer = setTimeout(done, milliseconds, false);
        own.add(done);
      });
    },
    clients: () => [...waiting.keys()],
    call(clientIds) {
      for (const clientId of clientIds) end(clientId, true);
    },
    release() {
      isReleased = true;
      for (const clientId of [...waiting.keys()]) end(clientId, false);
    },
  };
}
