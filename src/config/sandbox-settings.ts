import Type from "typebox";
import { bearerToken, hostNames, networks } from "./forms.ts";

/** The settings that only a sandbox has. */
export const sandboxSettings = {
  CLOCK_START: Type.Optional(
    Type.String({
      pattern:
        "^20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?(Z|[+-]\\d\\d:\\d\\d)$",
      form: "a date-time of this century with an offset, such as `2027-03-01T09:00Z`",
      description:
        "The bank's time when a sandbox is opened for the first time, such as " +
        "`2027-03-01T09:00Z`: a date-time with an offset, in this century. The customers' history " +
        "ends on that day. Later starts continue from where the clock is. The default is the " +
        "machine's time.",
      usedBy: "a test that needs the same dates on every day",
    }),
  ),
  CLOCK_RATE: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description:
        "How fast a sandbox's clock runs: 1 as the machine's, 60 a minute per second. With 0 it " +
        "stands still until somebody sets it forward. By default it runs as before, at first as " +
        "the machine's.",
      usedBy: "a test of what happens later",
    }),
  ),
  SANDBOX_HOSTS: Type.Optional(
    Type.String({
      ...hostNames,
      description:
        "Additional host names of a sandbox, such as `aldgate,bank.test`. `localhost`, " +
        "`127.0.0.1`, `[::1]` and the hosts of PUBLIC_URL and MTLS_URL are always allowed. " +
        "Requests to any other host name are refused, to prevent DNS rebinding.",
      usedBy: "a sandbox in a container or with its own name",
    }),
  ),
  SANDBOX_CONTROLS_NETWORKS: Type.Optional(
    Type.String({
      ...networks,
      description:
        "Networks from which callers with the token may use a sandbox's controls " +
        "(`/sandbox/v1`), such as `172.16.0.0/12,fd00::/8`. By default, only callers on the " +
        "same machine may use them.",
      usedBy: "a sandbox for a team",
    }),
  ),
  SANDBOX_CONTROLS_TOKEN: Type.Optional(
    Type.String({
      ...bearerToken(24),
      description:
        "Token that callers from SANDBOX_CONTROLS_NETWORKS must send (`Authorization: Bearer`). It " +
        "must have at least 24 characters; `openssl rand -hex 16` generates one. If it is in the " +
        "environment of `./aldgate`, `./aldgate` sends it.",
      usedBy: "a sandbox for a team",
    }),
  ),
};
