import type {
  ChannelConsent,
  ConsentChannel,
  WholeConsent,
} from "#src/channels/consent-channel.ts";

/** Consents through the sandbox's interface, which says what it refuses. */
export function remoteConsents(
  call: (method: string, path: string, body?: object) => Promise<unknown>,
): ConsentChannel {
  const pathOf = (consentId: string): string => `/consents/${encodeURIComponent(consentId)}`;
  return {
    async list(customerId) {
      const answer = await call("GET", `/consents?customerId=${encodeURIComponent(customerId)}`);
      return (answer as { consents: ChannelConsent[] }).consents;
    },
    show: async (consentId) => (await call("GET", pathOf(consentId))) as WholeConsent,
    stop: async (consentId, request) =>
      (await call("POST", `${pathOf(consentId)}/stop`, request)) as WholeConsent,
  };
}
