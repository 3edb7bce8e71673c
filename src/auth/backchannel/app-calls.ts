import type { JourneyTools } from "#src/auth/journey/journey-step.ts";
import { customerById } from "#src/auth/login/customers.ts";
import { issueIdentifier } from "#src/auth/provider/backchannel-hints.ts";
import type { AppJourneys } from "#src/channels/app-journey-shapes.ts";
import { ChannelRefusal } from "#src/channels/consent-channel.ts";
import type { Backchannel } from "./backchannel.ts";

const texts = {
  notOffered:
    "TPPs cannot begin journeys without a browser here: BACKCHANNEL_AUTHENTICATION is not set.",
  customer: "customerId is not the id of a customer.",
  nobody:
    "No TPP waits for this consent: the id is another one, or the request has ended. Let the " +
    "customer scan the TPP's code again.",
};

/** The calls of the bank's app about journeys that TPPs begin without a browser. */
export const backchannelCalls = (
  backchannel: Backchannel | null,
  journeys: Pick<AppJourneys, "show">,
  { database, clock, bank }: Pick<JourneyTools, "database" | "clock" | "bank">,
): Pick<AppJourneys, "scan" | "identify"> => {
  async function offered(customerId: string): Promise<Backchannel> {
    if (!backchannel) throw new ChannelRefusal(409, texts.notOffered);
    if (!(await customerById(bank, customerId))) throw new ChannelRefusal(404, texts.customer);
    return backchannel;
  }
  return {
    async scan(given) {
      const journeyId = await (await offered(given.customerId)).scan(given);
      if (journeyId === null) throw new ChannelRefusal(404, texts.nobody);
      return { journey: await journeys.show(journeyId), redirectTo: null };
    },
    async identify({ customerId }) {
      await offered(customerId);
      const { identifier, expiresAt } = await issueIdentifier({ database, clock }, customerId);
      return { identifier, expiresAt: expiresAt.toString() };
    },
  };
};
