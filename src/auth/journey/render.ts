import { errorPage, returningPage } from "#src/pages/journey.ts";
import type { Place } from "./load-journey.ts";
import { endings, type Outcome } from "./outcomes.ts";

const outcomeOf = ({ row }: Place): (typeof endings)[Outcome]["page"] =>
  endings[row.outcome ?? "overtaken"].page;

/** The page on the way back to the TPP. */
export const renderReturning = (bankName: string, place: Place, continueUrl: string): string =>
  returningPage({ bankName, clientName: place.clientName, outcome: outcomeOf(place), continueUrl });

const doneTexts = {
  approved: "You have already approved this request, and we have told the company that asked.",
  cancelled: "You have cancelled this request. Nothing was shared and nothing was paid.",
  late: "This request was not approved in time. Nothing was shared and nothing was paid.",
  ended: "This session has ended. Nothing was shared and nothing was paid.",
};

/** The page for a customer who comes back after the TPP got its answer. */
export function renderAnswered(bankName: string, place: Place, reference: string): string {
  const message = doneTexts[outcomeOf(place)];
  const advice = `You can close this page and go back to ${place.clientName}.`;
  return errorPage({ bankName, title: "This is done", message, reference, advice });
}

/** The page for a browser that has no journey here. */
export const renderLost = (bankName: string, reference: string): string =>
  errorPage({
    bankName,
    title: "We cannot continue",
    message: "This page is part of a request that has ended, or that began in another browser.",
    reference,
  });
