import type { IncomingMessage, ServerResponse } from "node:http";

type Answer = { status: number; headers?: Record<string, string> };

/**
 * Makes a listener for `createServer` of `node:http`, and for Express, of requests with a short
 * body. It answers 413 to a body that is longer than `most` characters, and 500 if the answer
 * fails. It never throws: an error that nobody catches would end the process.
 */
export function listenerOf(
  most: number,
  answer: (body: string, request: IncomingMessage) => Promise<Answer>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return async (request, response) => {
    try {
      const body = await readBody(request, most);
      const { status, headers } = body === null ? tooLong : await answer(body, request);
      response.writeHead(status, headers).end();
    } catch {
      // the caller is gone, or what answers has failed
      response.writeHead(500, { connection: "close" }).end();
    }
  };
}

// the rest of the body is not read
const tooLong: Answer = { status: 413, headers: { connection: "close" } };

async function readBody(request: IncomingMessage, most: number): Promise<string | null> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.length > most) return null;
  }
  return text;
}
