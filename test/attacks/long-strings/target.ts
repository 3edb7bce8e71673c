import type { Shot } from "#test/attacks/fuzz/shot.ts";

/** A place in a request that takes a text. */
export type Target = {
  /** The request and the place, such as `CreateDomesticPayments body Data.ConsentId`. */
  name: string;
  /** Makes the request with a long string in this place. */
  make(text: string): Promise<Shot>;
};
