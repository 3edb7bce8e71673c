import Type from "typebox";

/** The settings of files of payments: limits, and the folder for uploads. */
export const fileSettings = {
  FILE_LIMIT_BYTES: Type.Integer({
    default: 104_857_600,
    minimum: 1024,
    description: "Maximum size of an uploaded file of payments.",
    usedBy: "a bank whose customers send larger, or smaller, files",
  }),
  SPOOL_FOLDER: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "Folder on a disk for uploaded files of more than a megabyte, until they are verified. " +
        "The default is the system's temporary folder.",
      usedBy: "a container whose temporary folder is in memory",
    }),
  ),
  FILE_PAYMENTS_LIMIT: Type.Integer({
    default: 100_000,
    minimum: 1,
    description: "Maximum number of payments in a file.",
    usedBy: "a bank whose core takes smaller files",
  }),
};
