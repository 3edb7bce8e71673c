/** Calls the interface for the bank's app and channels, on the management listener. */
export function callChannel(
  managementUrl: string,
  bearer: string,
  { method, path, body }: { method: string; path: string; body?: object | undefined },
): Promise<Response> {
  return fetch(`${managementUrl}/channels/v1${path}`, {
    method,
    headers: {
      ...(bearer === "" ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}
