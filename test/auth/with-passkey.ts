import { randomBytes } from "node:crypto";
import type { PasskeyOffer } from "#src/bank/challenge.ts";
import type { Bank } from "#src/bank/port.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { paperBank } from "./paper-bank.ts";
import { assess } from "./refused-ending.ts";
import { type Deviation, optionsOn, SoftPasskey } from "./soft-passkey.ts";
import { type Answer, InBrowser, type More, type Way } from "./traveller.ts";

/** A customer whose browser signs with a passkey. */
class WithPasskey extends InBrowser {
  readonly #passkey: SoftPasskey;

  constructor(bed: AuthBed, passkey: SoftPasskey) {
    super(bed);
    this.#passkey = passkey;
  }

  override async confirm(login: string, answer: Answer = "approved"): Promise<void> {
    const { visitor } = this;
    if (visitor.step === "login") await this.login(login);
    if (visitor.step !== "factor") return;
    await this.#sign(answer === "failed" ? { id: "another" } : {});
  }

  override async confirmAgain(): Promise<void> {
    await this.#sign({});
  }

  async #sign(deviation: Deviation): Promise<void> {
    const { visitor } = this;
    const code = this.#passkey.sign(optionsOn(visitor.shown), deviation);
    await visitor.submit({ code, decision: visitor.go });
  }
}

/** A core whose customers confirm with these passkeys. */
const passkeyBank = (isKnown: (id: string) => boolean): Pick<Bank, "challenge" | "verify"> => ({
  async challenge(customerId, subject, request) {
    const made = await paperBank.challenge(customerId, subject, request);
    const signed = [randomBytes(24), Buffer.from(request.subjectHash, "base64url")];
    const passkey: PasskeyOffer = {
      request: {
        challenge: Buffer.concat(signed).toString("base64url"),
        rpId: "localhost",
        allowCredentials: [{ type: "public-key", id: "AAAA" }],
        userVerification: "required",
      },
    };
    return { ...made, method: "passkey", passkey };
  },
  async verify(_challengeId, answer) {
    const { id } = JSON.parse(answer) as { id: string };
    return isKnown(id) && { amr: ["hwk", "user"] };
  },
});

/** Opens a bank whose customers confirm with passkeys. */
export async function byPasskey(more?: More): Promise<Way> {
  const passkeys: SoftPasskey[] = [];
  const offer = passkeyBank((id) => passkeys.some((one) => one.id === id));
  const bed = await openAuthBed({ ...more, bank: { assess, ...offer, ...more?.bank } });
  const passkey = new SoftPasskey(bed.publicUrl);
  passkeys.push(passkey);
  return { bed, travel: () => new WithPasskey(bed, passkey), close: () => bed.close() };
}
