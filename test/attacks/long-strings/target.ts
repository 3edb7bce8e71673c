import type { Shot } from "#test/attacks/fuzz/shot.ts";

/** A place in a request that takes a text. */
export type Target = {
  /** The request and the place, such as `CreateDomesticPayments body Data.ConsentId`. */
  name: string;
  /** The route that it reaches, such as `POST /journey/:uid`. */
  route: string;
  /** Whether it is a place in the body. */
  isBody: boolean;
  /** Whether it is a field of a customer's page. A page refuses a form of another page with 403. */
  isForm?: boolean;
  /** Makes the request with a long string in this place. */
  make(text: string): Promise<Shot>;
};
