/** Requests of TPPs that wait for an event. */
export type WaitingPolls = {
  /**
   * Waits until the client is called, the time has passed, or everyone is released. Returns whether
   * it makes sense to look again.
   */
  wait(clientId: string, milliseconds: number): Promise<boolean>;
  /** The clients that have requests waiting. */
  clients(): string[];
  /** Ends the waiting of these clients' requests. */
  call(clientIds: readonly string[]): void;
  /** Ends all waiting, now and later: the process closes. */
  release(): void;
};

// More requests of one client than this do not wait: each holds a connection.
const mostPerClient = 4;

/** Makes the list of waiting requests of a process. */
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
