import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

// An authenticator in software, which signs as devices do, or wrongly if a test asks for it.
// Source: WebAuthn Level 3 sections 5.8.1 and 6.1.

type Options = {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
};

/** What a test changes in an answer. */
export type Deviation = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  /** The bits of the flags; present, verified and may be copied by default. */
  flags?: number;
  signCount?: number;
  /** Null leaves it out, as devices may. */
  userHandle?: string | null;
  /** Signs with another key. */
  key?: KeyObject;
  id?: string;
};

const present = 0x01;
const verified = 0x04;
const mayBeCopied = 0x08;
const attested = 0x40;

/** The flags of answers. */
export const flags = { present, verified, mayBeCopied };

const base64url = (bytes: Buffer): string => bytes.toString("base64url");
const sha256 = (given: string | Buffer): Buffer => createHash("sha256").update(given).digest();

/** Makes a key pair: the first three are those that the bank accepts. */
export const keyPairOf = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  P384: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  RSA1024: () => generateKeyPairSync("rsa", { modulusLength: 1024 }),
};

/** A passkey in software. */
export class SoftPasskey {
  readonly id = base64url(randomBytes(32));
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };
  readonly #origin: string;
  readonly #isCopied: boolean;
  #userHandle: string | undefined;
  #signCount: number;

  /** `counts`: whether it counts its signatures; one that may be copied does not. */
  constructor(
    origin: string,
    given: { isCopied?: boolean; counts?: boolean; algorithm?: keyof typeof keyPairOf } = {},
  ) {
    this.#origin = origin;
    this.#isCopied = given.isCopied ?? false;
    this.#signCount = given.counts ? 1 : 0;
    this.#keys = keyPairOf[given.algorithm ?? "ES256"]();
  }

  /** The answer of a browser that has made this passkey, as JSON text. */
  make(options: Options, given: Deviation = {}): string {
    this.#userHandle = options.user?.id;
    const id = Buffer.from(given.id ?? this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id]);
    const data = this.#signed(options.rp?.id ?? "", given, attested);
    return JSON.stringify({
      id: given.id ?? this.id,
      type: "public-key",
      response: {
        clientDataJSON: base64url(this.#clientData("webauthn.create", options, given)),
        authenticatorData: base64url(Buffer.concat([data, credential])),
        publicKey: base64url(this.#keys.publicKey.export({ format: "der", type: "spki" })),
        transports: ["internal"],
      },
    });
  }

  /** The answer of a browser for which this passkey has signed, as JSON text. */
  sign(options: Options, given: Deviation = {}): string {
    if (this.#signCount > 0) this.#signCount += 1;
    const clientData = this.#clientData("webauthn.get", options, given);
    const data = this.#signed(options.rpId ?? "", given, 0);
    const { privateKey } = this.#keys;
    const key = given.key ?? privateKey;
    const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
    const signature = sign(algorithm, Buffer.concat([data, sha256(clientData)]), key);
    const { userHandle = this.#userHandle } = given;
    return JSON.stringify({
      id: given.id ?? this.id,
      type: "public-key",
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        ...(userHandle ? { userHandle } : {}),
      },
    });
  }

  #clientData(type: string, { challenge }: Options, given: Deviation): Buffer {
    const { origin = this.#origin, crossOrigin = false } = given;
    const data = { type: given.type ?? type, challenge: given.challenge ?? challenge };
    return Buffer.from(JSON.stringify({ ...data, origin, crossOrigin }));
  }

  #signed(rpId: string, given: Deviation, more: number): Buffer {
    const usual = present | verified | (this.#isCopied ? mayBeCopied : 0);
    const rest = Buffer.alloc(5);
    rest.writeUInt8((given.flags ?? usual) | more);
    rest.writeUInt32BE(given.signCount ?? this.#signCount, 1);
    return Buffer.concat([sha256(given.rpId ?? rpId), rest]);
  }
}

/** Reads the options that a page gives to the browser. */
export function optionsOn({ body }: { body: string }): Options {
  const [, text = ""] = /data-options="([^"]*)"/.exec(body) ?? [];
  return JSON.parse(text.replaceAll("&quot;", '"').replaceAll("&amp;", "&")) as Options;
}
