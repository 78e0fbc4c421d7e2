/**
 * Model vendor on 127.0.0.1 that sends known content, misbehaves on command and records received requests. It
 * speaks OpenAI's and Anthropic's dialects; the model's name, or a script, defines its behaviour.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { listen } from '../listen.ts';
import { createCountResponse, createMessageResponse } from './anthropic-answers.ts';
import { type Behaviour, parseBehaviour } from './behaviour.ts';
import {
  createChatResponse,
  createCompletionResponse,
  createEmbeddingResponse,
  formatModelList,
} from './openai-answers.ts';
import {
  createImageResponse,
  createModerationResponse,
  createRerankResponse,
  createSpeechResponse,
  createTranscriptResponse,
} from './other-answers.ts';
import {
  countWords,
  getReportedUsage,
  type ParsedRequest,
  type ReportedUsage,
  type ScriptedResponse,
} from './scripted-response.ts';
import { deliverResponse } from './send-scripted-response.ts';

export interface ServedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Parsed body; empty if it was not a JSON object. */
  json: Readonly<Record<string, unknown>>;
  /** Usage that a complete response reports. */
  usage: ReportedUsage | undefined;
  /** Written pieces of the response: 1 for a whole one, one for each event of a stream. */
  piecesSent: number;
  /** Milliseconds of `performance.now()`. */
  arrivedAt: number;
  finishedAt?: number;
  /** The client disconnected before the response was complete, or the upstream destroyed the connection itself. */
  disconnectedAt?: number;
}

/** Changes the behaviour of one request; `nth` counts from 0. */
export type Script = (request: ServedRequest, nth: number) => Partial<Behaviour> | undefined;

export interface ScriptedUpstream {
  /** Without trailing slash; paths below it begin with `/v1`. */
  url: string;
  requests: ServedRequest[];
  setScript(script: Script | undefined): void;
  close(): Promise<void>;
}

const answers: Readonly<Record<string, (behaviour: Behaviour, request: ParsedRequest) => ScriptedResponse>> = {
  '/v1/chat/completions': createChatResponse,
  '/v1/completions': createCompletionResponse,
  '/v1/embeddings': createEmbeddingResponse,
  '/v1/images/generations': createImageResponse,
  '/v1/images/edits': createImageResponse,
  '/v1/images/variations': createImageResponse,
  '/v1/audio/speech': createSpeechResponse,
  '/v1/audio/transcriptions': createTranscriptResponse,
  '/v1/audio/translations': createTranscriptResponse,
  '/v1/moderations': createModerationResponse,
  '/v1/rerank': createRerankResponse,
  '/v1/messages': createMessageResponse,
  '/v1/messages/count_tokens': createCountResponse,
};

export async function startScriptedUpstream(models: readonly string[] = ['scripted-model']): Promise<ScriptedUpstream> {
  const requests: ServedRequest[] = [];
  let script: Script | undefined;
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const served = recordRequest(request);
    requests.push(served);
    response.on('close', () => {
      if (response.writableFinished) served.finishedAt = performance.now();
      else served.disconnectedAt = performance.now();
    });
    served.body = await readBody(request);
    served.json = parseForm(served.body) ?? parseObject(served.body);
    const path = served.path.replace(/\?.*$/, '');
    const answerOf = answers[path];
    if (!hasCredentials(served, path)) return refuse(response, 401, 'no credentials');
    if (path === '/v1/models') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(formatModelList(models));
      return;
    }
    if (answerOf === undefined) return refuse(response, 404, `no route ${path}`);
    const parsed = parseRequest(served.json);
    const scripted = script?.(served, requests.length - 1);
    const behaviour: Behaviour = { ...parseBehaviour(parsed.model), ...scripted };
    served.usage = getReportedUsage(behaviour, parsed);
    await deliverResponse(response, answerOf(behaviour, parsed), behaviour, (pieces) => {
      served.piecesSent = pieces;
    });
  }

  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    setScript(next) {
      script = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function recordRequest(request: IncomingMessage): ServedRequest {
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: '',
    json: {},
    usage: undefined,
    piecesSent: 0,
    arrivedAt: performance.now(),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the texts of a form; undefined for anything else. */
function parseForm(body: string): Record<string, unknown> | undefined {
  if (!body.startsWith('--')) return undefined;
  const texts = body.matchAll(/form-data; name="(\w+)"\r\n\r\n([^\r]*)\r\n/gi);
  return Object.fromEntries([...texts].map(([, name, text]) => [name, typedText(text)]));
}

function typedText(text = ''): unknown {
  return text === 'true' || /^\d+$/.test(text) ? JSON.parse(text) : text;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

function hasCredentials({ headers }: ServedRequest, path: string): boolean {
  if (path === '/v1/messages') return headers['x-api-key'] !== undefined && headers['anthropic-version'] !== undefined;
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } }));
}

function readTextField(json: Readonly<Record<string, unknown>>, field: string): string {
  const value = json[field];
  return typeof value === 'string' ? value : '';
}

const toolList = z.array(z.object({ function: z.object({ name: z.string() }) }));

function findFirstTool(tools: unknown): string | undefined {
  return toolList.safeParse(tools).data?.[0]?.function.name;
}

function parseRequest(json: Readonly<Record<string, unknown>>): ParsedRequest {
  const { model, stream, stream_options: options, messages, system, prompt, input, query, n } = json;
  return {
    model: typeof model === 'string' ? model : '',
    stream: stream === true,
    includeUsage:
      typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true,
    inputTokens: countWords([messages, system, prompt, input, query, json['documents']]),
    inputs: Array.isArray(input) ? input.length : 1,
    choices: typeof n === 'number' ? n : 1,
    responseFormat: readTextField(json, 'response_format'),
    streamFormat: readTextField(json, 'stream_format'),
    tool: JSON.stringify(messages ?? []).includes('"role":"tool"') ? undefined : findFirstTool(json['tools']),
  };
}
