import * as http from "node:http";
import * as https from "node:https";

/** A status and the text that came with it. */
export type Sent = { status: number; text: string };

/** The request to send; `caPem` is the root that an https server's certificate chains to. */
type Sending = {
  method: string;
  /** Sent as JSON. */
  body?: object | undefined;
  /** Sent as it is, with this content type. */
  raw?: { text: string; contentType: string };
  /** The client certificate with its key. */
  client?: { privateKeyPem: string; certificatePem: string };
  caPem?: string | undefined;
  bearer?: string | undefined;
};

/** Sends one request. */
export function send(url: string, sending: Sending): Promise<Sent> {
  const { method, body, raw, caPem, bearer, client } = sending;
  const secure = url.startsWith("https:");
  const headers = {
    ...(body ? { "content-type": "application/json" } : {}),
    ...(raw ? { "content-type": raw.contentType } : {}),
    ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
  };
  const options = {
    method,
    headers,
    ...(secure && caPem ? { ca: caPem } : {}),
    ...(client ? { key: client.privateKeyPem, cert: client.certificatePem } : {}),
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on("error", reject);
    request.end(body ? JSON.stringify(body) : raw?.text);
  });
}
