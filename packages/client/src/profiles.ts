/** How authorization requests are sent and answered. */
export type Profile = {
  /** Whether the request is pushed to the bank (PAR) instead of sent with the browser. */
  pushes: boolean;
  /** Whether the request is a signed request object. */
  signs: boolean;
  /** `code id_token` is the hybrid answer, and `jwt` a signed one (JARM). */
  answer: "code id_token" | "jwt" | "code";
};

/** The profiles, each a row. */
export const profiles = {
  /** FAPI 1.0 Advanced, with the hybrid answer. */
  fapi1: { pushes: false, signs: true, answer: "code id_token" },
  /** FAPI 1.0 Advanced, with a signed answer. */
  "fapi1-jarm": { pushes: false, signs: true, answer: "jwt" },
  /** FAPI 2.0 Security Profile. */
  fapi2: { pushes: true, signs: false, answer: "code" },
  /** FAPI 2.0 Message Signing. */
  "fapi2-message-signing": { pushes: true, signs: true, answer: "jwt" },
} as const satisfies Record<string, Profile>;

/** The name of a profile. */
export type ProfileName = keyof typeof profiles;
