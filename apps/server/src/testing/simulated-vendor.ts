/** Simulated provider that responds by method and path. A test replaces responses to simulate errors. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../../../tests/listen.ts';

export interface VendorRequest {
  method: string;
  /** Path and query as they were sent. */
  target: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Reply =
  | { status?: number; headers?: Readonly<Record<string, string>>; json?: unknown; text?: string | Buffer }
  | 'silence'
  /** The connection ends without a response. */
  | 'hang-up';

export type ReplyHandler = (request: VendorRequest) => Reply | Promise<Reply>;

export interface TestVendor {
  /** Without a trailing slash. */
  url: string;
  /** `GET /path` → its handler. */
  handlers: Record<string, ReplyHandler>;
  /** `GET /path` of each request. */
  asked: string[];
  /** Replaces the response until `resetReplies`. `original` returns the replaced one. */
  overrideReply(
    route: string,
    answer: (request: VendorRequest, original: ReplyHandler) => Reply | Promise<Reply>,
  ): void;
  resetReplies(): void;
  close(): Promise<void>;
}

/** @param otherwise handles requests for other paths, such as those with a number */
export async function startTestVendor(
  answers: Record<string, ReplyHandler> = {},
  otherwise: ReplyHandler = () => ({ status: 404, text: 'not found' }),
): Promise<TestVendor> {
  let replaced: Record<string, Parameters<TestVendor['overrideReply']>[1]> = {};
  const requests: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: target = '', headers } = request;
    const { pathname, searchParams: query } = new URL(target, 'http://vendor');
    const route = `${method} ${pathname}`;
    requests.push(route);
    let body = '';
    request.setEncoding('utf8');
    for await (const piece of request) body += String(piece);
    const original = answers[route] ?? otherwise;
    const answer = replaced[route] ?? original;
    send(response, await answer({ method, target, query, headers, body }, original));
  };
  const server = createServer((request, response) => void serve(request, response));
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    handlers: answers,
    asked: requests,
    overrideReply(route, answer) {
      replaced[route] = answer;
    },
    resetReplies() {
      replaced = {};
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'silence') return;
  if (reply === 'hang-up') return void response.destroy();
  const { status = 200, headers = {}, json, text } = reply;
  const type = text === undefined ? 'application/json' : 'text/html';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(text ?? JSON.stringify(json ?? null));
}
