/** Four vendors on one port of 127.0.0.1, each with its own dialect and path. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../listen.ts';
import type { Loose } from '../loose.ts';
import {
  answersByScenario,
  type DialectName,
  type ReceivedRequest,
  type Scenario,
  type ScriptedDialect,
  scenarios,
  type UpstreamAnswer,
} from './scenario.ts';
import { anthropicMessages } from './upstream-anthropic-messages.ts';
import { gemini } from './upstream-gemini.ts';
import { openaiChat } from './upstream-openai-chat.ts';
import { openaiResponses } from './upstream-openai-responses.ts';

const vendors: Readonly<Record<DialectName, ScriptedDialect>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  gemini,
};

const FAILURE = 'Too many questions about the weather.';

export interface Upstreams {
  url: string;
  /** Last request and its vendor. */
  /** Reading clears it. */
  takeLastRequest(): { dialect: DialectName; heard: ReceivedRequest } | undefined;
  close(): Promise<void>;
}

export async function startUpstreams(): Promise<Upstreams> {
  let last: { dialect: DialectName; heard: ReceivedRequest } | undefined;
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://upstream.test');
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body: Loose = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    const { dialect, model, stream } = parseAddress(url, body);
    const vendor = vendors[dialect];
    const scenario = parseScenario(model);
    const parsed = vendor.parseRequest(body);
    last = { dialect, heard: parsed };
    const scripted = scenario === 'tool names' ? callFirstTool(parsed) : answersByScenario[scenario];
    if (scenario === 'error') {
      response.writeHead(429, { 'content-type': 'application/json' }).end(vendor.formatError(FAILURE));
      return;
    }
    const answer = stream ? vendor.formatEvents(scripted, model) : [vendor.formatResponse(scripted, model)];
    const contentType = stream ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': contentType });
    if (scenario !== 'cut stream') {
      response.end(answer.join(''));
      return;
    }
    const text = answer.join('');
    response.write(text.slice(0, Math.floor(text.length / 2)), () => response.destroy());
  }

  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    takeLastRequest() {
      const told = last;
      last = undefined;
      return told;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Calls the tool by the name in the request. */
function callFirstTool({ tools }: ReceivedRequest): UpstreamAnswer {
  const { calls = [], ...scripted } = answersByScenario['tool names'];
  return { ...scripted, calls: calls.map((call) => ({ ...call, name: tools[0]?.name ?? '' })) };
}

function parseAddress(url: URL, body: Loose): { dialect: DialectName; model: string; stream: boolean } {
  const [, model = '', action = ''] = /^\/v1beta\/models\/(.+):(\w+)$/.exec(url.pathname) ?? [];
  if (action !== '') {
    const stream = action === 'streamGenerateContent' && url.searchParams.get('alt') === 'sse';
    return { dialect: 'gemini', model: decodeURIComponent(model), stream };
  }
  const dialects: Readonly<Record<string, DialectName>> = {
    '/v1/chat/completions': 'openai-chat',
    '/v1/responses': 'openai-responses',
    '/v1/messages': 'anthropic-messages',
  };
  const dialect = dialects[url.pathname];
  if (dialect === undefined) throw new Error(`No vendor serves ${url.pathname}`);
  return { dialect, model: body.model, stream: body.stream === true };
}

export const buildModelName = (dialect: DialectName, scenario: Scenario): string =>
  `${dialect}--${scenario.replace(' ', '-')}`;

function parseScenario(model: string): Scenario {
  const scenario = scenarios.find((name) => model.endsWith(`--${name.replace(' ', '-')}`));
  if (scenario === undefined) throw new Error(`No scenario for ${model}`);
  return scenario;
}
