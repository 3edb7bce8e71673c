import { createServer } from "node:http";

// The answer comes in the URL's fragment, which a browser keeps to itself: the page hands it over.
const page = `<!doctype html><meta charset="utf-8"><title>Back at the demo</title>
<p id="text">One moment …</p>
<script>
fetch("?answer", { method: "POST", body: location.hash }).then(() => {
  document.getElementById("text").textContent = "You can close this page: the demo goes on.";
});
</script>`;

/** Listens at a loopback redirect URI and gives the URL that the customer came back with. */
export function waitForRedirect(redirectUri: string): Promise<string> {
  const { port } = new URL(redirectUri);
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      if (request.method !== "POST") {
        response.writeHead(200, { "content-type": "text/html" }).end(page);
        return;
      }
      let hash = "";
      request.on("data", (chunk) => {
        hash += chunk;
      });
      request.on("end", () => {
        response.writeHead(204, { connection: "close" }).end();
        server.close();
        resolve(`${redirectUri}${hash}`);
      });
    });
    server.on("error", reject);
    server.listen(Number(port), "localhost");
  });
}
