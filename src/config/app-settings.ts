import Type from "typebox";
import { bearerToken, list } from "./forms.ts";

/** The settings of the bank's own app, which phones open in place of the consent journey. */
export const appSettings = {
  BACKCHANNEL_AUTHENTICATION: Type.Optional(
    Type.Boolean({
      description:
        "Whether TPPs can begin the customer's approval without a browser (CIBA): the customer " +
        "approves in the bank's app. It needs a core with `challengeResult`, and APP_TOKEN. " +
        "The default is `true` in a sandbox that has both, or that plays the app of its own " +
        "bank, and otherwise `false`.",
      usedBy: "a bank whose customers approve in its app",
    }),
  ),
  APP_TOKEN: Type.Optional(
    Type.String({
      ...bearerToken(32),
      description:
        "Token with which the bank's app takes customers through journeys on the management " +
        "listener (`Authorization: Bearer`). Whoever has it can approve for every customer. It must " +
        "have at least 32 characters; `openssl rand -hex 24` generates one.",
      usedBy: "a bank whose customers approve in its app",
    }),
  ),
  APP_LINKS_APPLE: Type.Optional(
    Type.String({
      ...list(
        "[A-Z0-9]{10}\\.[A-Za-z0-9.-]+",
        "`TEAMID.BUNDLEID`, with ten letters or digits before the dot; several with commas",
      ),
      description:
        "Apps of the bank for Apple devices, as `TEAMID.BUNDLEID`, separated by commas. " +
        "Aldgate then serves `/.well-known/apple-app-site-association`, and phones open " +
        "authorization URLs in these apps.",
      usedBy: "a bank with an app",
    }),
  ),
  APP_LINKS_ANDROID: Type.Optional(
    Type.String({
      ...list(
        "[a-zA-Z][\\w.]+=([0-9A-F]{2}:){31}[0-9A-F]{2}",
        "`PACKAGE=FINGERPRINT`, with 32 pairs of hexadecimal capitals and colons; several with commas",
      ),
      description:
        "Apps of the bank for Android, as `PACKAGE=FINGERPRINT`, separated by commas. The " +
        "fingerprint is the SHA-256 of the app's signing certificate, as pairs of digits with " +
        "colons. Aldgate then serves `/.well-known/assetlinks.json`.",
      usedBy: "a bank with an app",
    }),
  ),
};
