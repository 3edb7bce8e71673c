import type { Check } from "#src/payments/request/checks.ts";

/** P-191: checks that the bank accepts files of the consent's file type. */
const checkFileType: Check = ({ kind, request: { file } }) => {
  const type = file?.type ?? null;
  const known = (kind.fileFormats ?? []).map(({ fileType }) => fileType);
  if (type === null || known.includes(type)) return [];
  return [
    { code: "U002", member: "file.type", message: `FileType must be one of ${known.join(", ")}.` },
  ];
};

/** P-192: checks that the hash is base64 SHA-256, with or without its padding. */
const checkFileHash: Check = ({ request: { file } }) => {
  const hash = file?.hash ?? null;
  if (hash === null || /^[A-Za-z0-9+/]{43}=?$/.test(hash)) return [];
  const message =
    "FileHash must be the file's SHA-256 in base64: 43 characters, with or without a final =.";
  return [{ code: "U002", member: "file.hash", message }];
};

/** The checks of a consent that announces a file. */
export const fileChecks: readonly Check[] = [checkFileType, checkFileHash];
