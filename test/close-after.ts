import { after } from "node:test";

type Closable = { close(): unknown };

const opened = new Set<Promise<Closable>>();

// A file's own hooks cannot close what a failed `before` hook never assigned. A browser or a bank
// that stays open would keep the file's process alive, so this hook closes what is left. In a
// benchmark, which runs no tests, the hook would print the report of a test run.
if (process.env.NODE_TEST_CONTEXT !== undefined) after(closeOpened);

/** Closes what the tests have opened and not closed. */
export async function closeOpened(): Promise<void> {
  for (const opening of opened) {
    opened.delete(opening);
    await (await opening.catch(() => null))?.close();
  }
}

/** Closes a thing after the tests of this file, unless `forgetClosed` is called before. */
export function closeAfterTests<T extends Closable>(opening: Promise<T>): Promise<T> {
  opened.add(opening);
  return opening;
}

/** Forgets a thing that has been closed, so that its memory can be freed. */
export const forgetClosed = (opening: Promise<Closable>): boolean => opened.delete(opening);
