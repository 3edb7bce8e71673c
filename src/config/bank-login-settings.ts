import Type from "typebox";
import { secureOrLocalUrl } from "./forms.ts";

/** The settings of the bank's own login, to which the consent journey hands customers over. */
export const bankLoginSettings = {
  BANK_LOGIN_ISSUER: Type.Optional(
    Type.String({
      ...secureOrLocalUrl,
      description:
        "Issuer of the bank's own OpenID provider. If it is set, customers log in there, instead " +
        "of with a password here. It must be `https`, except on this machine.",
      usedBy: "a bank whose own login is an OpenID provider",
    }),
  ),
  BANK_LOGIN_CLIENT_ID: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Aldgate's client id at this provider. BANK_LOGIN_ISSUER needs it.",
      usedBy: "a bank whose own login is an OpenID provider",
    }),
  ),
  BANK_LOGIN_KEY: Type.Optional(
    Type.String({
      description:
        "Private key with which Aldgate signs requests to this provider, and authenticates there " +
        "(`private_key_jwt`): a PEM file (PKCS #8) with an RSA key (PS256) or a P-256 key (ES256). " +
        "BANK_LOGIN_ISSUER needs it.",
      usedBy: "a bank whose own login is an OpenID provider",
    }),
  ),
  BANK_LOGIN_CONFIRMS: Type.Union([Type.Literal("approval"), Type.Literal("login")], {
    default: "approval",
    description:
      "What customers confirm at this provider: the whole `approval`, for which it must know " +
      "authorization details of the type `aldgate_approval`, or only their `login`. With `login`, " +
      "the core asks for the second factor on Aldgate's pages.",
    usedBy: "a bank whose provider shows no authorization details",
  }),
  BANK_LOGIN_ACR: Type.String({
    default: "urn:openbanking:psd2:sca",
    minLength: 1,
    description:
      "The `acr` that this provider gives to strong customer authentication, or to a login with " +
      "one factor if BANK_LOGIN_CONFIRMS is `login`. Aldgate asks for it, and accepts no other.",
    usedBy: "a provider with other names for its levels",
  }),
};

type BankLoginSettings = { [Name in keyof typeof bankLoginSettings]?: unknown };

/** Lists the settings that the bank's own login lacks; none if there is no such login. */
export function bankLoginFaults(config: BankLoginSettings): string[] {
  const needed = ["BANK_LOGIN_CLIENT_ID", "BANK_LOGIN_KEY"] as const;
  const hasIssuer = config.BANK_LOGIN_ISSUER !== undefined;
  const why = hasIssuer
    ? "BANK_LOGIN_ISSUER needs this setting"
    : "this setting needs BANK_LOGIN_ISSUER";
  return needed
    .filter((name) => (config[name] === undefined) === hasIssuer)
    .map((name) => `${name}: ${why}`);
}
