import { decimal } from "#src/bank/exchange.ts";
import type { AgentReference, InternationalTerms } from "#src/bank/port.ts";
import type { ConsentTerms } from "#src/consents/consent.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import {
  type Initiation,
  type OrderPlan,
  onePayment,
  type PaymentDraft,
} from "#src/payments/kinds/payment-kind.ts";
import { textAt } from "#src/payments/request/json-path.ts";
import type { ExchangeRateRequest } from "#src/standard/pisp-v4.0/exchange-rate-information.ts";
import { splitCharges } from "./charges.ts";
import { destinationOf, networkOf } from "./destination.ts";
import type { LoadedFacts } from "./facts.ts";

type AnyInitiation = Initiation & Record<string, unknown>;

const rateRequestOf = (initiation: AnyInitiation): ExchangeRateRequest | undefined =>
  initiation.ExchangeRateInformation as ExchangeRateRequest | undefined; // by its schema

/**
 * What the bank adds to a consent that asked for a rate and has passed every check: the rate that
 * it quotes, or the one that was agreed. Source: digest 2.16, P-123…P-125.
 */
export function exchangeTerms(
  initiation: AnyInitiation,
  { quote, contract }: LoadedFacts,
): Pick<ConsentTerms, "exchangeRate" | "contractAccountId"> {
  const asked = rateRequestOf(initiation);
  if (!asked) return {};
  const { UnitCurrency, RateType } = asked;
  if (asked.RateType === "Agreed") {
    return {
      exchangeRate: asked as ConsentTerms["exchangeRate"] & {}, // the checks want a rate with it
      ...(contract ? { contractAccountId: contract.accountId } : {}),
    };
  }
  if (quote === null) return {};
  const expires = quote.expiresAt;
  return {
    exchangeRate: {
      UnitCurrency,
      ExchangeRate: Number(quote.rate),
      RateType,
      ...(expires === null ? {} : { ExpirationDateTime: formatInstant(expires) }),
    },
  };
}

/** What an international payment tells the bank beside the rest. */
export function internationalTerms({ kind, initiation, terms }: OrderPlan): InternationalTerms {
  const body = { Data: { Initiation: initiation } };
  const { exchangeRate } = terms;
  const promised = exchangeRate !== undefined && exchangeRate.RateType !== "Indicative";
  return {
    transferCurrency: textAt(initiation, "CurrencyOfTransfer") ?? "",
    rate: promised ? decimal(exchangeRate.ExchangeRate).toFixed() : null,
    contractId: exchangeRate?.ContractIdentification ?? null,
    ...splitCharges(terms),
    network: networkOf(body),
    creditorAgent: agentOf(initiation),
    // a firm rate is for today: the funds are taken out of the account's reach at once
    fundsAtOnce: kind.timing.when === "onDate" && exchangeRate?.RateType === "Actual",
  };
}

function agentOf(initiation: AnyInitiation): AgentReference | null {
  if (initiation.CreditorAgent === undefined) return null;
  return {
    bic: textAt(initiation, "CreditorAgent.Identification") ?? null,
    name: textAt(initiation, "CreditorAgent.Name") ?? null,
    country: destinationOf({ Data: { Initiation: initiation } }).country,
  };
}

/** The one payment of a kind that orders one abroad. */
export const oneInternationalPayment = (plan: OrderPlan): PaymentDraft[] =>
  onePayment(plan).map((payment) => ({
    ...payment,
    // in the account's currency, which the bank converts it into
    chargeMinor: 0n,
    international: internationalTerms(plan),
  }));
