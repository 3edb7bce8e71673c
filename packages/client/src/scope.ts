/** A scope of the standard. */
export type Scope = "accounts" | "payments" | "fundsconfirmations";
