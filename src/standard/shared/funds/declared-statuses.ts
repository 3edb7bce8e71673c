const always = [400, 401, 403, 405, 406, 429, 500];

/** The refusal statuses that the published files of every version declare for an operation. */
export const declaredStatuses = ({ method }: { method: string }): number[] =>
  method === "POST" ? [...always, 415] : always;
