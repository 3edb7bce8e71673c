import type { Explanation } from "./explanation.ts";

/** A check of something that was pasted. */
export type JudgedCheck = {
  name: string;
  result: "passed" | "refused" | "not reached" | "not judged";
  /** Why it refused, or why it cannot be judged here; null if it has nothing to say. */
  detail: string | null;
};

/** Something that was pasted, judged without being sent. */
export type JudgedText = Omit<Explanation, "subject" | "history"> & {
  subject: "message" | "jwt" | "certificate" | "unknown";
  /** Every check, in the order in which the bank makes them. */
  checks: readonly JudgedCheck[];
};

/** What is pasted, and what it needs to be judged. */
export type Pasted = {
  /** A request, a body, a JWT or certificates. */
  text: string;
  /** The detached signature, if `text` is only a body. */
  signature?: string;
  /** The client, if what is pasted does not name it. */
  clientId?: string;
};
