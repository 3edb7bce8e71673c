import { decimal } from "#src/bank/exchange.ts";
import type { AgentReference, InternationalTerms } from "#src/bank/port.ts";
import type { ConsentTerms } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import type { OrderPlan } from "#src/payments/definitions/payment-kind.ts";
import { destinationOf, networkOf } from "#src/payments/request/destination.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { splitCharges } from "./charges.ts";
import type { LoadedFacts } from "./facts.ts";

/**
 * The bank's additions to a consent that requested a rate and has passed every check: the quoted
 * rate, or the agreed one. Source: P-123…P-125.
 */
export function exchangeTerms(
  { international }: PaymentRequest,
  { quote, contract }: LoadedFacts,
): Pick<ConsentTerms, "exchangeRate" | "contractAccountId"> {
  const { rate: asked = null } = international ?? {};
  if (asked === null) return {};
  const unitCurrency = present(asked.unitCurrency, "the unit of a checked rate");
  const type = present(asked.type, "the type of a checked rate");
  if (type === "Agreed") {
    return {
      exchangeRate: {
        unitCurrency,
        value: present(asked.value, "an agreed rate"),
        type,
        contractId: present(asked.contractId, "the contract of an agreed rate"),
        expiresAt: null,
      },
      ...(contract ? { contractAccountId: contract.accountId } : {}),
    };
  }
  if (quote === null) return {};
  const { rate, expiresAt } = quote;
  return { exchangeRate: { unitCurrency, value: Number(rate), type, contractId: null, expiresAt } };
}

/** The terms of an international payment, for the bank. */
export function internationalTerms({ kind, request, terms }: OrderPlan): InternationalTerms {
  const { exchangeRate } = terms;
  const { charge, deduction } = splitCharges(terms);
  const promised = exchangeRate !== undefined && exchangeRate.type !== "Indicative";
  return {
    transferCurrency: request.international?.transferCurrency ?? "",
    rate: promised ? decimal(exchangeRate.value).toFixed() : null,
    contractId: exchangeRate?.contractId ?? null,
    charge,
    deduction,
    network: networkOf(request),
    creditorAgent: agentOf(request),
    // a firm rate applies today, so the funds are reserved immediately
    fundsAtOnce: kind.timing.when === "onDate" && exchangeRate?.type === "Actual",
  };
}

function agentOf(request: PaymentRequest): AgentReference | null {
  const { agent = null } = request.international ?? {};
  return (
    agent && {
      bic: agent.identification,
      name: agent.name,
      country: destinationOf(request).country,
    }
  );
}
