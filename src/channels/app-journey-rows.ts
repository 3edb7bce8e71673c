import type { Static } from "typebox";
import type { InterfaceRow } from "#src/http/interface-row.ts";
import {
  type AppDecision,
  type AppJourneys,
  appAccounts,
  appAnswer,
  appChallenge,
  appJourney,
  beginRequest,
  customerIdentifier,
  decisionRequest,
  identifierRequest,
  scanRequest,
} from "./app-journey-shapes.ts";

/** The operations with which the bank's app takes a customer through a journey. */
export const appJourneyRows: readonly InterfaceRow<{ journeys: AppJourneys }>[] = [
  {
    route: ["POST", "/journeys"],
    operationId: "beginJourney",
    summary:
      "Begins the journey of an authorization URL that a phone has opened in the bank's app. The " +
      "request is checked as in a browser.",
    request: beginRequest,
    bodyLimit: 20_000,
    response: { status: 201, schema: appAnswer },
    handle: ({ journeys }, body: { authorizationUrl: string }) => journeys.begin(body),
  },
  {
    route: ["POST", "/journeys/scanned"],
    operationId: "joinJourney",
    summary:
      "Joins the customer who has scanned the id of a consent for which a TPP waits without a " +
      "browser. The core is then asked for the customer's approval.",
    request: scanRequest,
    response: { status: 201, schema: appAnswer },
    handle: ({ journeys }, body: Static<typeof scanRequest>) => journeys.scan(body),
  },
  {
    route: ["POST", "/identifiers"],
    operationId: "issueIdentifier",
    summary:
      "Makes an identifier that the customer shows to a TPP. The TPP can then ask for an approval " +
      "in the app, once, within 5 minutes.",
    request: identifierRequest,
    response: { status: 201, schema: customerIdentifier },
    handle: ({ journeys }, body: Static<typeof identifierRequest>) => journeys.identify(body),
  },
  {
    route: ["GET", "/journeys/:journeyId"],
    operationId: "readJourney",
    summary: "Returns a journey of the bank's app: what must be shown, and how it ended.",
    response: { status: 200, schema: appJourney },
    handle: ({ journeys }, _body, { journeyId = "" }) => journeys.show(journeyId),
  },
  {
    route: ["GET", "/journeys/:journeyId/accounts"],
    operationId: "listJourneyAccounts",
    summary:
      "Lists the accounts of a customer, which of them can be chosen, and why others cannot.",
    query: { customerId: "The core's id of the customer." },
    needsQuery: true,
    response: { status: 200, schema: appAccounts },
    handle: ({ journeys }, _body, { journeyId = "", customerId = "" }) =>
      journeys.listAccounts(journeyId, customerId),
  },
  {
    route: ["POST", "/journeys/:journeyId/decision"],
    operationId: "decideJourney",
    summary:
      "Approves or cancels a journey, with the evidence of the customer's authentication. Returns " +
      "where the app goes on.",
    request: decisionRequest,
    response: { status: 200, schema: appAnswer },
    handle: ({ journeys }, body: AppDecision, { journeyId = "" }) =>
      journeys.decide(journeyId, body),
  },
  {
    route: ["GET", "/challenges/:challengeId"],
    operationId: "readChallenge",
    summary:
      "Says whether an answer in the bank's app to a challenge counts, and how its journey has " +
      "ended. Ask before the app says that something is approved.",
    response: { status: 200, schema: appChallenge },
    handle: ({ journeys }, _body, { challengeId = "" }) => journeys.readChallenge(challengeId),
  },
];
