import type { KeyPem } from "#src/sandbox/directory/certificates.ts";

// the keys of two worlds
const size = 14;
const pauseMs = 1000;

/**
 * RSA keys that are made before they are needed, because one takes a tenth of a second. Returns the
 * function that takes a key. After a pause, the stock is filled up, so a process that opens no
 * world makes no keys.
 */
export function createKeyStock(make: () => Promise<KeyPem>): () => Promise<KeyPem> {
  const kept: Promise<KeyPem>[] = [];
  let timer: NodeJS.Timeout | undefined;
  const fill = (): void => {
    while (kept.length < size) {
      const key = make();
      key.catch(() => undefined); // awaited by the one who takes it
      kept.push(key);
    }
  };
  return () => {
    clearTimeout(timer);
    timer = setTimeout(fill, pauseMs);
    timer.unref();
    return kept.shift() ?? make();
  };
}
