import type { ConsentBody } from "#src/consents/consent.ts";

/** The consent and order bodies of one payment, without ids. */
export type Example<File> = {
  consent: ConsentBody;
  /** The order's body; its `Data.ConsentId` is empty. */
  order: ConsentBody;
  /** A request for a funds confirmation, if the TPP sends the amount; without the consent's id. */
  funds?: ConsentBody;
  /** The file, if the consent waits for one. */
  file?: File;
};

/** The payee's account in the format of an initiation. */
export type DemoCreditor = { SchemeName: string; Identification: string; Name: string };
