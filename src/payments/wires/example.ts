import type { ConsentBody } from "#src/consents/consent.ts";

/** The bodies of one payment, from consent to order, apart from ids. */
export type Example<File> = {
  consent: ConsentBody;
  /** Its `Data.ConsentId` is empty. */
  order: ConsentBody;
  /** The file of a consent that waits for one. */
  file?: File;
};

/** The payee's account as an initiation names it. */
export type DemoCreditor = { SchemeName: string; Identification: string; Name: string };
