import { ApiError } from "#src/http/api-error.ts";

/** One upload's share of its client's quota. */
export type UploadShare = {
  /** Counts received bytes; throws 413 if they exceed the quota of the client's uploads. */
  take(bytes: number): void;
  /** Releases everything; further calls do nothing. */
  release(): void;
};

/** Limits the bytes that each client is uploading to one process at the same time. */
export type UploadQuota = {
  /** Reserves quota for an upload; throws 413 if the announced size does not fit. */
  begin(clientId: string, announcedBytes: number): UploadShare;
};

const retrySeconds = 5;

/** Makes quotas with this number of bytes per client. */
export function createUploadQuota(bytesPerClient: number): UploadQuota {
  const used = new Map<string, number>();
  return {
    begin(clientId, announcedBytes) {
      let reserved = 0;
      let taken = 0;
      const reserve = (bytes: number): void => {
        const before = used.get(clientId) ?? 0;
        if (before + bytes > bytesPerClient) throw tooMuch(before - reserved, bytesPerClient);
        used.set(clientId, before + bytes);
        reserved += bytes;
      };
      reserve(announcedBytes);
      return {
        take(bytes) {
          taken += bytes;
          if (taken > reserved) reserve(taken - reserved);
        },
        release() {
          const left = (used.get(clientId) ?? 0) - reserved;
          reserved = 0;
          if (left > 0) used.set(clientId, left);
          else used.delete(clientId);
        },
      };
    },
  };
}

function tooMuch(others: number, limit: number): ApiError {
  const message =
    `Your uploads in progress may have at most ${limit} bytes in total. Your other uploads take up ` +
    `${others} bytes. Send this file again when one of them has finished.`;
  const headers = { "retry-after": String(retrySeconds), connection: "close" };
  return new ApiError(413, [{ code: "U010", message }], headers);
}
