/** A passkey of a customer, as pages show it. */
export type OwnPasskey = {
  passkeyId: string;
  name: string;
  addedAt: Temporal.Instant;
  /** When the customer last confirmed with it; null for never. */
  usedAt: Temporal.Instant | null;
  /** Whether it may be copied to the customer's other devices. */
  isSynced: boolean;
};

/**
 * What a browser is given to make a passkey (PublicKeyCredentialCreationOptionsJSON); binary values
 * are in base64url. Source: WebAuthn Level 3 section 5.1.8.
 */
type PasskeyCreation = {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  /** The algorithms, best first, by their COSE numbers. */
  pubKeyCredParams: { type: "public-key"; alg: number }[];
  /** The passkeys that the customer has: a device makes no second one. */
  excludeCredentials: { type: "public-key"; id: string }[];
  authenticatorSelection: { residentKey: "preferred"; userVerification: "required" };
  /** Nobody asks which make the device is. */
  attestation: "none";
};

/**
 * The passkeys that a bank keeps for its customers, as its own pages manage them. A passkey is
 * prepared with a name, allowed by a second factor, and then added by the browser. This is no part
 * of the port: a core may keep passkeys of its own, and offer them in its challenges.
 */
export type Passkeys = {
  /** How many a customer can have. */
  most: number;
  /** The passkeys that a customer has added, oldest first. */
  list(customerId: string): Promise<OwnPasskey[]>;
  /** Prepares a passkey and returns its id; null if the customer has as many as the bank allows. */
  prepare(customerId: string, name: string): Promise<string | null>;
  /** The name of a passkey that was prepared and not added; null if there is none. */
  prepared(customerId: string, passkeyId: string): Promise<string | null>;
  /** Lets the customer add the passkey for some minutes. False if it is not prepared any more. */
  allow(customerId: string, passkeyId: string): Promise<boolean>;
  /** What the browser needs to make the passkey; null unless the customer may add it now. */
  creation(customerId: string, passkeyId: string): Promise<PasskeyCreation | null>;
  /** Adds what the browser has made, as JSON text. False if it is not what was asked for. */
  add(customerId: string, passkeyId: string, answer: string): Promise<boolean>;
  /** Removes a passkey. False if the customer has none with this id. */
  remove(customerId: string, passkeyId: string): Promise<boolean>;
};
