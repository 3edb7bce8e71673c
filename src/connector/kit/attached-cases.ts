import type { AssessedConsent } from "#src/bank/assessment.ts";
import { consent, notice, orderOf } from "./asked-consents.ts";
import { expectSame, NotAsked } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitGroup } from "./kit-case.ts";

const comesBack = "attachedData comes back with every later call about the consent.";

/** A consent with what the core has attached to it. */
async function attached(kit: Kit): Promise<AssessedConsent & { attachedData: string }> {
  const asked = await consent(kit);
  const answer = await kit.call("assess", asked);
  const data = answer.result === "allow" ? answer.attachedData : undefined;
  if (data === undefined) throw new NotAsked("the core attaches nothing to the kit's consent");
  return { ...asked, attachedData: data };
}

/** K12: what the core attaches to consents. */
export const attachedCases: KitGroup = {
  id: "K12",
  name: "attached",
  about: "What the core attaches to consents",
  cases: [
    {
      id: "K12-01",
      title: "a core that attaches data to a consent says so",
      calls: ["assess"],
      rule: "Aldgate keeps attachedData only if GET /about has attachesData.",
      async run(kit) {
        await attached(kit);
        expectSame(kit.about.attachesData ?? false, true, "attachesData in /about");
      },
    },
    {
      id: "K12-02",
      title: "a renewed consent is allowed with the data that the core has attached to it",
      calls: ["assess"],
      rule: comesBack,
      async run(kit) {
        const renewed = { ...(await attached(kit)), isRenewal: true };
        expectSame((await kit.call("assess", renewed)).result, "allow", "the result");
      },
    },
    {
      id: "K12-03",
      title: "an order is assessed with the data that the core has attached to its consent",
      calls: ["assess", "assessOrder"],
      rule: comesBack,
      async run(kit) {
        const { attachedData, ...given } = await attached(kit);
        await kit.call("assessOrder", { ...orderOf(kit, given), attachedData });
      },
    },
    {
      id: "K12-04",
      title: "a notice is accepted with the data that the core has attached to its consent",
      calls: ["assess", "tell"],
      rule: comesBack,
      async run(kit) {
        const { consentId, attachedData } = await attached(kit);
        await kit.call("tell", [{ ...(await notice(kit)), consentId, attachedData }]);
      },
    },
  ],
};
