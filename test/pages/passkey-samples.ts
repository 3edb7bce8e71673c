import type { AskedFactor } from "#src/pages/asked-factor.ts";
import {
  addPasskeyPage,
  namePasskeyPage,
  passkeysPage,
  removePasskeyPage,
} from "#src/pages/own-passkeys.ts";

const ownFrame = { bankName: "Aldgate Bank", csrf: "token", path: "/bank", lastMinutes: null };

/** The pages of passkeys below `/bank`. */
export function passkeyPages(name: string): Record<string, string> {
  const frame = { ...ownFrame, message: name };
  const passkey = { id: "1", name, added: name, used: name, isSynced: true };
  const passkeys = [passkey, { ...passkey, isSynced: false }];
  return {
    passkeys: passkeysPage({ ...frame, passkeys, hasRoom: true }),
    noPasskeys: passkeysPage({ ...frame, passkeys: [], hasRoom: false }),
    namePasskey: namePasskeyPage({ ...frame, error: name }),
    addPasskey: addPasskeyPage({ ...frame, id: "1", name, creation: { name }, error: null }),
    removePasskey: removePasskeyPage({ ...frame, passkey }),
  };
}

/** The factor of a customer who approves with a passkey, and who may have a code instead or not. */
export const byPasskey = (hasCode = true): AskedFactor => ({
  by: "passkey",
  request: {
    challenge: "AAAA",
    rpId: "localhost",
    allowCredentials: [{ type: "public-key", id: "AAAA" }],
    userVerification: "required",
  },
  hasCode,
});
