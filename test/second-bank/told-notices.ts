import type { Notice } from "#src/bank/notice.ts";

/** What the second bank was told: each notice once, as it first came, and the ids of each call. */
export type Told = { notices: Notice[]; calls: string[][] };

/** Keeps what the second bank is told. It drops a notice that it knows by its id. */
export function createToldNotices() {
  const notices = new Map<string, Notice>();
  const calls: string[][] = [];
  return {
    receive(given: readonly Notice[]): null {
      calls.push(given.map(({ noticeId }) => noticeId));
      for (const one of given) if (!notices.has(one.noticeId)) notices.set(one.noticeId, one);
      return null;
    },
    all: (): Told => ({ notices: [...notices.values()], calls }),
  };
}
