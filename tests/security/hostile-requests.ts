/** Requests to a route, generated from its schema and then broken in all ways available to a client. */

import type { Random } from '../../apps/server/src/tools/demo/random.ts';
import { features } from '../../packages/contract/src/all-feature-routes.ts';
import { playgroundPaths } from '../../packages/contract/src/playground/playground.ts';
import type { Route, Routes } from '../../packages/contract/src/route.ts';
import { type Grammar, generateValue, hostileTexts, pickHostileValue } from './hostile-values.ts';

export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

export interface RequestTarget {
  name: string;
  method: string;
  path: string;
  query?: Grammar | undefined;
  body?: Grammar | undefined;
  /** Whether the body is sent as a form. */
  isForm?: boolean;
  /** Whether the response is a file, whose connection closes when its caller loses the right to it. */
  isDownload?: boolean;
}

function toGrammar(schema: Route['body']): Grammar | undefined {
  return schema?.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as unknown as Grammar | undefined;
}

export const managementTargets: readonly RequestTarget[] = Object.entries<Routes>(features).flatMap(
  ([feature, routes]) =>
    Object.entries(routes).map(([name, route]) => ({
      name: `${feature}.${name}`,
      method: route.method,
      path: route.path,
      isDownload: route.file !== undefined,
      query: toGrammar(route.query),
      body: toGrammar(route.body),
    })),
);

const chat: Grammar = {
  type: 'object',
  properties: {
    model: { const: 'scripted' },
    messages: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          role: { enum: ['user', 'assistant', 'system', 'tool', 'developer'] },
          content: {
            anyOf: [
              { type: 'string' },
              {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    type: { enum: ['text', 'image_url', 'input_audio', 'tool_use', 'tool_result', 'image'] },
                    text: { type: 'string' },
                    image_url: { type: 'object', properties: { url: { type: 'string' } } },
                    source: { type: 'object', properties: { type: { const: 'base64' }, data: { type: 'string' } } },
                    tool_use_id: { type: 'string' },
                  },
                },
              },
            ],
          },
          tool_calls: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
        },
      },
    },
    max_tokens: { type: 'integer', minimum: 1, maximum: 4096 },
    stream: { type: 'boolean' },
    stream_options: { type: 'object', properties: { include_usage: { type: 'boolean' } } },
    temperature: { type: 'number', maximum: 2 },
    tools: {
      type: 'array',
      items: { type: 'object', properties: { type: { const: 'function' }, name: { type: 'string' } } },
    },
    tool_choice: { anyOf: [{ type: 'string' }, { type: 'object' }] },
    stop: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    response_format: { type: 'object', properties: { type: { enum: ['json_object', 'json_schema', 'text'] } } },
    n: { type: 'integer', minimum: 1, maximum: 4 },
    user: { type: 'string' },
  },
};
const prompt: Grammar = {
  type: 'object',
  properties: { model: { const: 'scripted' }, prompt: { type: 'string' }, input: { type: 'string' } },
};

const part: Grammar = {
  type: 'object',
  properties: {
    type: { enum: ['input_text', 'output_text', 'input_image', 'input_file', 'refusal'] },
    text: { type: 'string' },
    image_url: { type: 'string' },
    file_data: { type: 'string' },
  },
};
const item: Grammar = {
  type: 'object',
  properties: {
    type: { enum: ['message', 'function_call', 'function_call_output', 'reasoning', 'item_reference'] },
    role: { enum: ['user', 'assistant', 'developer'] },
    content: { anyOf: [{ type: 'string' }, { type: 'array', items: part }] },
    call_id: { type: 'string' },
    name: { type: 'string' },
    arguments: { type: 'string' },
    output: { anyOf: [{ type: 'string' }, { type: 'array', items: part }] },
    encrypted_content: { type: 'string' },
  },
};
const responses: Grammar = {
  type: 'object',
  properties: {
    model: { const: 'scripted' },
    input: { anyOf: [{ type: 'string' }, { type: 'array', items: item }] },
    instructions: { type: 'string' },
    stream: { type: 'boolean' },
    max_output_tokens: { type: 'integer', minimum: 1, maximum: 4096 },
    reasoning: { type: 'object', properties: { effort: { enum: ['none', 'low', 'high'] } } },
    previous_response_id: { type: 'string' },
    include: { type: 'array', items: { type: 'string' } },
  },
};

const contents: Grammar = {
  type: 'object',
  properties: {
    contents: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          role: { enum: ['user', 'model', 'function'] },
          parts: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                text: { type: 'string' },
                thought: { type: 'boolean' },
                thoughtSignature: { type: 'string' },
                inlineData: { type: 'object', properties: { mimeType: { type: 'string' }, data: { type: 'string' } } },
                functionCall: { type: 'object', properties: { name: { type: 'string' }, args: {} } },
                functionResponse: { type: 'object', properties: { name: { type: 'string' }, response: {} } },
              },
            },
          },
        },
      },
    },
    systemInstruction: { type: 'object', properties: { parts: { type: 'array', items: {} } } },
    generationConfig: {
      type: 'object',
      properties: { maxOutputTokens: { type: 'integer' }, temperature: { type: 'number' } },
    },
  },
  required: ['contents'],
};

const endpointBody: Grammar = {
  type: 'object',
  properties: {
    model: { const: 'scripted' },
    prompt: { type: 'string' },
    input: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    query: { type: 'string' },
    documents: { type: 'array', items: { type: 'string' } },
    voice: { type: 'string' },
    n: { type: 'integer', minimum: 1, maximum: 4 },
    size: { enum: ['auto', '1024x1024', '1024x1536'] },
    quality: { enum: ['low', 'hd', 'auto'] },
    partial_images: { type: 'integer', minimum: 0, maximum: 3 },
    response_format: { enum: ['json', 'text', 'srt', 'mp3', 'pcm', 'b64_json'] },
    stream_format: { enum: ['audio', 'sse'] },
    stream: { type: 'boolean' },
    image: { type: 'string' },
    file: { type: 'string' },
  },
};

const createFormTarget = (path: string): RequestTarget => ({ ...createRelayTarget(path, endpointBody), isForm: true });
const createRelayTarget = (path: string, body: Grammar): RequestTarget => ({ name: path, method: 'POST', path, body });
export const relayTargets: readonly RequestTarget[] = [
  createRelayTarget('/v1/chat/completions', chat),
  createRelayTarget('/v1/messages', chat),
  createRelayTarget('/claude/v1/messages', chat),
  createRelayTarget('/v1beta/models/scripted:streamGenerateContent', contents),
  createRelayTarget('/gemini/v1beta/models/scripted:generateContent', contents),
  createRelayTarget(playgroundPaths.text, chat),
  createRelayTarget(playgroundPaths.pictures, endpointBody),
  createRelayTarget(playgroundPaths.speech, endpointBody),
  createFormTarget(playgroundPaths.transcript),
  createRelayTarget('/v1/completions', prompt),
  createRelayTarget('/v1/embeddings', prompt),
  createRelayTarget('/v1/responses', responses),
  createRelayTarget('/v1/images/generations', endpointBody),
  createRelayTarget('/v1/images/edits', endpointBody),
  createFormTarget('/v1/images/edits'),
  createFormTarget('/v1/images/variations'),
  createRelayTarget('/v1/audio/speech', endpointBody),
  createFormTarget('/v1/audio/transcriptions'),
  createFormTarget('/v1/audio/translations'),
  createRelayTarget('/v1/moderations', endpointBody),
  createRelayTarget('/v1/rerank', endpointBody),
  createRelayTarget('/v2/rerank', endpointBody),
  createRelayTarget('/v1/files', endpointBody),
  { name: 'file', method: 'GET', path: '/v1/files/:id' },
  { name: 'models', method: 'GET', path: '/v1/models' },
  { name: 'model', method: 'GET', path: '/v1/models/:id' },
  { name: 'gemini models', method: 'GET', path: '/v1beta/models' },
  { name: 'claude model', method: 'GET', path: '/claude/v1/models/:id' },
  { name: 'billing', method: 'GET', path: '/dashboard/billing/usage' },
];

const hostileSegments = [
  '%',
  '%zz',
  '%00',
  '%c0%ae',
  '..%2f..%2f',
  '%F0%9F%92%A5',
  '-1',
  '0',
  '1e3',
  'NaN',
  '9'.repeat(40),
  '__proto__',
  'constructor',
  'x'.repeat(600),
  '%'.repeat(50),
  '1;2',
  '1%0d%0aa:b',
];
const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/jsonp',
  'application/xml',
  '',
  ';',
  'a'.repeat(500),
  'application/json, text/plain',
];
const oddHeaders: readonly (readonly [string, string])[] = [
  ['content-encoding', 'gzip'],
  ['accept', '\x80\xff'],
  ['idempotency-key', 'x'.repeat(200)],
  ['idempotency-key', 'repeated'],
  ['if-none-match', '*'],
  ['range', 'bytes=-1--9'],
  ['x-forwarded-for', "'".repeat(2000)],
  ['sec-fetch-site', 'cross-site'],
  ['origin', 'null'],
  ['origin', 'http://[::'],
  ['cookie', 'switchyard_session=%zz; =; ;;;'],
  ['authorization', 'Bearer '],
  ['authorization', `Bearer ${'x'.repeat(4000)}`],
  ['accept-language', '*'.repeat(3000)],
  ['x-http-method-override', 'DELETE'],
  ['user-agent', ''],
  ['prefer', 'a;b=c'],
];

/** @param headers credentials of the caller */
export function generateHostileRequest(
  target: RequestTarget,
  headers: Record<string, string>,
  random: Random,
): HostileRequest {
  const hostility = random.pick([0, 0.02, 0.1, 0.4]);
  const contentType = target.isForm === true ? 'multipart/form-data; boundary=x' : 'application/json';
  const sent: Record<string, string> = { 'content-type': contentType, ...headers };
  if (random.chance(hostility)) sent['content-type'] = random.pick(contentTypes);
  if (random.chance(hostility)) {
    const [name, value] = random.pick(oddHeaders);
    sent[name] = value;
  }
  const method = random.chance(hostility / 10)
    ? random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'])
    : target.method;
  const path = target.path.replace(/:\w+/g, () =>
    random.chance(hostility) ? random.pick(hostileSegments) : String(random.between(1, 30)),
  );
  const body = target.body === undefined ? undefined : generateBody(target, target.body, random, hostility);
  return { method, path: path + generateQuery(target.query, random, hostility), headers: sent, body };
}

function generateQuery(grammar: Grammar | undefined, random: Random, hostility: number): string {
  const pairs: string[] = [];
  for (const [name, inner] of Object.entries(grammar?.properties ?? {})) {
    if (!random.chance(0.4)) continue;
    const value = generateValue(inner, random, hostility);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    for (let times = random.chance(hostility) ? 3 : 1; times > 0; times -= 1)
      pairs.push(`${name}=${encodeURIComponent(text.toWellFormed()).slice(0, 3000)}`);
  }
  if (random.chance(hostility))
    pairs.push(
      random.pick([
        '%',
        '%zz=%zz',
        'a[]=1',
        'a[b][c]=1',
        '__proto__[x]=1',
        '==&&&',
        '&'.repeat(2000),
        'order=-',
        'page=1&page=2',
      ]),
    );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function generateBody({ isForm }: RequestTarget, grammar: Grammar, random: Random, hostility: number): Buffer {
  const value = generateValue(grammar, random, hostility);
  const text = isForm === true ? formatForm(value) : (JSON.stringify(value) ?? '');
  return random.chance(hostility / 2) ? breakText(text, random) : Buffer.from(text);
}

/** Form with `image` and `file` as files. */
function formatForm(value: unknown): string {
  const parts = Object.entries(typeof value === 'object' && value !== null ? value : {}).map(([name, inner]) => {
    const file = name === 'image' || name === 'file' ? '; filename="a.wav"' : '';
    const text = typeof inner === 'string' ? inner : JSON.stringify(inner);
    return `--x\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`;
  });
  return `${parts.join('')}--x--\r\n`;
}

function breakText(text: string, random: Random): Buffer {
  const at = random.between(0, text.length);
  const ways: readonly (() => string | Buffer)[] = [
    () => text.slice(0, at),
    () => text.slice(0, at) + random.pick(['}', ']', '"', ',', '\\', '\u0000', '💥', '/*']) + text.slice(at),
    () => text.replace('{', '{"id":1,"id":2,"id":{},'),
    () => text.replace('{', '{"__proto__":{"x":1},'),
    () => text.replace('{', '{"constructor":{"prototype":{"x":1}},'),
    () => text.replace(/\d+/, random.pick(['NaN', 'Infinity', '1e999', '-0', '01', '0x1', '1.', '9'.repeat(400)])),
    () => `${'['.repeat(5_000)}${text}${']'.repeat(5_000)}`,
    () => `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    () => `\ufeff${text}`,
    () => Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff, 0xfe, 0xc0, 0x80])]),
    () => Buffer.from(text, 'utf16le'),
    () => JSON.stringify(pickHostileValue(random)),
    () => JSON.stringify(random.pick(hostileTexts)),
    () => '',
  ];
  return Buffer.from(random.pick(ways)());
}
