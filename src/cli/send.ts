import * as http from "node:http";
import * as https from "node:https";

/** A status and the text that came with it. */
export type Sent = { status: number; text: string };

/** What is sent; `caPem` is the root that an https server's certificate chains to. */
export type Sending = {
  method: string;
  body?: object | undefined;
  caPem?: string | undefined;
  bearer?: string | undefined;
};

/** Sends one request. */
export function send(url: string, { method, body, caPem, bearer }: Sending): Promise<Sent> {
  const secure = url.startsWith("https:");
  const headers = {
    ...(body ? { "content-type": "application/json" } : {}),
    ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
  };
  const options = { method, headers, ...(secure && caPem ? { ca: caPem } : {}), agent: false };
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
    request.end(body ? JSON.stringify(body) : undefined);
  });
}
