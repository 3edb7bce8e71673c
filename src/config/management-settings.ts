import Type from "typebox";

/** The settings of the listener for operators. */
export const managementSettings = {
  MANAGEMENT_HOST: Type.String({
    default: "127.0.0.1",
    description: "Address of the management listener, which serves health, readiness and metrics.",
  }),
  MANAGEMENT_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        "Port of the management listener, which uses plain HTTP. 0 picks a free port. The default " +
        "is PUBLIC_PORT plus 1000, so that several banks on one machine have different ports.",
    }),
  ),
  MANAGEMENT_HOSTS: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_.-]+(, ?[A-Za-z0-9_.-]+)*$",
      description:
        "Host names by which the management listener is called, such as `aldgate.internal`. IP " +
        "addresses, `localhost` and MANAGEMENT_HOST are always allowed.",
    }),
  ),
};
