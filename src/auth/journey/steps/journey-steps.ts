import type { FormFields, JourneyStep } from "#src/auth/journey/journey-step.ts";
import type { BankLogin } from "#src/auth/login/bank-login.ts";
import { isRefusal } from "#src/auth/login/refusal.ts";
import { loginPage } from "#src/pages/login.ts";
import { accountsStep } from "./accounts-step.ts";
import { byHintStep } from "./by-hint-step.ts";
import { factorStep } from "./factor-step.ts";
import { handOverStep } from "./hand-over-step.ts";
import { inAppStep, inAppStepUpStep } from "./in-app-step.ts";
import { reviewStep } from "./review-step.ts";
import { stepUpStep } from "./step-up-step.ts";

/** The first factor. */
const loginStep: JourneyStep<{ login: "one"; password: "one" }> = {
  name: "login",
  minutes: 15,
  fields: { login: "one", password: "one" },

  async show({ sandboxHints }, _place, { given, ...frame }) {
    const sandboxLogins = (await sandboxHints?.logins()) ?? [];
    return loginPage({ ...frame, login: given?.login ?? "", sandboxLogins });
  },

  async take({ login, browser, later }, _place, form) {
    const customer = await login.checkPassword(browser, form, later);
    if (isRefusal(customer)) return { refused: customer, failsAs: "locked" };
    const { customerId, login: customerLogin, name: customerName } = customer;
    return { done: { customerId, customerLogin, customerName } };
  },
};

/**
 * The steps of the journey in their order: a journey goes on to the next step that is not skipped.
 * After the last one, the consent is authorised. Every step can also end the journey (outcomes.ts).
 * If the bank has a login of its own, it replaces the password, or the second factor too.
 */
export const stepsOf = (bankLogin: BankLogin | null): readonly JourneyStep<FormFields>[] => [
  bankLogin ? handOverStep(bankLogin) : loginStep,
  ...(bankLogin?.confirms === "approval" ? [] : [byHintStep, factorStep]),
  inAppStep,
  accountsStep,
  reviewStep,
  stepUpStep,
  inAppStepUpStep,
];
