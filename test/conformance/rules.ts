import { accountRules } from "./account-rules.ts";
import { accountV4Rules } from "./account-v4-rules.ts";
import { cibaRules } from "./ciba-rules.ts";
import { commercialVrpRules } from "./commercial-vrp-rules.ts";
import { eventRules } from "./event-rules.ts";
import { fapi2Rules } from "./fapi2-rules.ts";
import { fundsRules } from "./funds-rules.ts";
import { keyRules } from "./key-rules.ts";
import { patchRules } from "./patch-rules.ts";
import { paymentRules } from "./payment-rules.ts";
import { paymentV3Rules } from "./payment-v3-rules.ts";
import { registrationRules } from "./registration-rules.ts";
import type { Rule, RuleRow } from "./rule.ts";
import { vrpRules } from "./vrp-rules.ts";

/** A part of the standard and its rules, in the standard's order. */
export type RuleSet = { title: string; rules: readonly Rule[] };

const named = (title: string, rows: readonly RuleRow[]): RuleSet => ({
  title,
  rules: rows.map(([id, summary, outOfScope]) => ({ id, summary, inScope: outOfScope ?? true })),
});

/** Every rule, in scope or not. */
export const ruleSets: readonly RuleSet[] = [
  named("Payment Initiation v4.0", paymentRules),
  named("Payment Initiation v4.0.1", patchRules),
  named("Payment Initiation v3.1", paymentV3Rules),
  named("Account Information v3.1", accountRules),
  named("Account Information v4.0", accountV4Rules),
  named("Confirmation of Funds v3.1 and v4.0", fundsRules),
  named("Event Notifications v4.0", eventRules),
  named("Variable Recurring Payments v4.0", vrpRules),
  named("Commercial variable recurring payments", commercialVrpRules),
  named("Client Registration v3.3", registrationRules),
  named("FAPI 2.0 Security Profile and Message Signing", fapi2Rules),
  named("Approval in the bank's app, and without a browser (CIBA)", cibaRules),
  named("Signing keys", keyRules),
];
