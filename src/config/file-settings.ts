import Type from "typebox";

/** The settings of files of payments: size, and what becomes of them on their way in. */
export const fileSettings = {
  FILE_LIMIT_BYTES: Type.Integer({
    default: 104_857_600,
    minimum: 1024,
    description: "Largest file of payments that may be uploaded.",
  }),
  UPLOAD_QUOTA_BYTES: Type.Integer({
    default: 209_715_200,
    minimum: 1024,
    description:
      "Bytes of files that one TPP may have under way in a process at a time; at least " +
      "FILE_LIMIT_BYTES applies.",
  }),
  SPOOL_FOLDER: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "Folder on a disk for files of more than a megabyte until their signature is verified. " +
        "Default: the system's temporary folder.",
    }),
  ),
  FILE_PAYMENTS_LIMIT: Type.Integer({
    default: 100_000,
    minimum: 1,
    description: "Payments that a file may hold.",
  }),
};
