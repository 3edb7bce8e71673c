import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A redirect URI on this machine, to which customers come back. */
export type RedirectListener = {
  redirectUri: string;
  /** The URL that the next customer comes back with, its query and fragment included. */
  next(): Promise<string>;
  close(): void;
};

// The response may be in the URL's fragment, which a browser does not send: the page's script does.
const page = `<!doctype html><meta charset="utf-8"><title>Back at the demo</title>
<p id="text">One moment …</p>
<script>
fetch("?answer", { method: "POST", body: location.search + location.hash }).then(() => {
  document.getElementById("text").textContent = "You can close this page: the demo goes on.";
});
</script>`;

/** Listens on a free port of loopback until it is closed. */
export async function listenForRedirects(): Promise<RedirectListener> {
  const waiting: ((answer: string) => void)[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(200, { "content-type": "text/html" }).end(page);
      return;
    }
    const answer = await textOf(request);
    response.writeHead(204).end();
    waiting.shift()?.(answer);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // it listens on a port, not a pipe
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  return {
    redirectUri,
    next: () =>
      new Promise((resolve) => waiting.push((answer) => resolve(`${redirectUri}${answer}`))),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
