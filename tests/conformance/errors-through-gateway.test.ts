/** Vendors' errors as clients of each dialect receive them, read with the vendors' own libraries. */
import { createServer, type ServerResponse } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import { objectOf, parseJson } from '@switchyard/relay/json';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ANTHROPIC,
  OPENAI_COMPATIBLE,
  type RelayScene,
  startRelayScene,
} from '../../apps/server/src/testing/relay-scene.ts';
import { setOptions } from '../../apps/server/src/testing/set-options.ts';
import { listen } from '../listen.ts';

const GEMINI = 25;
const key = 'sk-vendor-8Qm2Zr71Lw0pXc94';

/** The vendor's response; for status 200, a stream of one event if the client requests a stream. */
interface Said {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

type Answer = (response: ServerResponse) => void;

const vendorMessage =
  ({ status, body, headers = {} }: Said, stream = false): Answer =>
  (response) => {
    const isEvent = stream && status === 200;
    const text = JSON.stringify(body);
    response.writeHead(status, { 'content-type': isEvent ? 'text/event-stream' : 'application/json', ...headers });
    response.end(isEvent ? `event: error\ndata: ${text}\n\n` : text);
  };

let answer: Answer = vendorMessage({ status: 500, body: {} });
const server = createServer((request, response) => request.resume().on('end', () => answer(response)));
let scene: RelayScene;

const vendors = ['openai', 'anthropic', 'gemini'] as const;
type Vendor = (typeof vendors)[number];
const clients = ['chat', 'responses', 'messages', 'gemini'] as const;
type Client = (typeof clients)[number];
const shapes = { chat: 'openai', responses: 'openai', messages: 'anthropic', gemini: 'gemini' } as const;

beforeAll(async () => {
  scene = await startRelayScene();
  await setOptions(scene.ctx, { AutomaticDisableChannelEnabled: 'false' });
  const base_url = `http://127.0.0.1:${await listen(server)}`;
  await scene.newChannel({ type: OPENAI_COMPATIBLE, base_url, models: ['openai-model'], key });
  await scene.newChannel({ type: ANTHROPIC, base_url, models: ['anthropic-model'], key });
  await scene.newChannel({ base_url: 'http://127.0.0.1:9', models: ['closed-model'], key });
  await scene.newChannel({ type: GEMINI, base_url, models: ['gemini-model'], key });
});
beforeEach(() => {
  // Resets the retry budget and the cooldown of the channel.
  scene.clock.advance(60);
});
afterAll(async () => {
  await scene.close();
  server.close();
});

const content = [{ role: 'user', content: 'hi' }];

interface Told {
  status: number;
  headers: Headers;
  /** The field `error`. */
  error: Record<string, unknown>;
  text: string;
}

/** Sends a request of the client's dialect to the vendor's model. */
async function ask(client: Client, vendor: string, stream = false): Promise<Told> {
  const model = `${vendor}-model`;
  const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const response = await {
    chat: () => scene.post('/v1/chat/completions', { model, stream, messages: content }),
    responses: () => scene.post('/v1/responses', { model, stream, input: 'hi' }),
    messages: () => scene.post('/v1/messages', { model, stream, max_tokens: 50, messages: content }),
    gemini: () => scene.post(`/v1beta/models/${model}:${method}`, { contents: [{ parts: [{ text: 'hi' }] }] }),
  }[client]();
  const text = await response.text();
  return { status: response.status, headers: response.headers, error: errorIn(text), text };
}

/** Returns the error of a body, or of the last event of a stream. */
function errorIn(text: string): Record<string, unknown> {
  const events = text.match(/^data: .*$/gm)?.map((line) => line.slice('data: '.length)) ?? [text];
  const last = objectOf(parseJson(events.at(-1) ?? ''));
  return { ...objectOf(last['error'] ?? objectOf(last['response'])['error']) };
}

const wholeAndStream = [false, true];
const cases = <T>(rows: readonly T[]) =>
  rows.flatMap((row) => clients.flatMap((client) => wholeAndStream.map((stream) => ({ row, client, stream }))));

const overloads: readonly (readonly [string, Vendor, Said])[] = [
  [
    'Anthropic’s 529',
    'anthropic',
    { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
  ],
  [
    'Anthropic’s error inside a 200',
    'anthropic',
    { status: 200, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
  ],
  [
    'OpenAI’s code',
    'openai',
    {
      status: 503,
      body: {
        error: { message: 'Busy', type: 'service_unavailable_error', code: 'server_is_overloaded', param: null },
      },
    },
  ],
  [
    'OpenAI’s request to slow down',
    'openai',
    { status: 503, body: { error: { message: 'Slow', type: 'server_error', code: 'slow_down' } } },
  ],
  [
    'Moonshot’s',
    'openai',
    { status: 429, body: { error: { type: 'engine_overloaded_error', message: 'The engine is overloaded' } } },
  ],
  ['a proxy’s page', 'openai', { status: 503, body: '<html>503</html>' }],
  [
    'Google’s',
    'gemini',
    { status: 503, body: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } } },
  ],
];

const overloaded = {
  chat: [503, { type: 'service_unavailable_error', code: 'server_is_overloaded' }],
  responses: [503, { type: 'service_unavailable_error', code: 'server_is_overloaded' }],
  messages: [529, { type: 'overloaded_error' }],
  gemini: [503, { code: 503, status: 'UNAVAILABLE' }],
} as const;

describe('an overload', () => {
  it.each(cases(overloads))('of $row.0 is an overload for $client, stream $stream', async ({ row, client, stream }) => {
    const [, vendor, error] = row;
    answer = vendorMessage(error, stream);
    const response = await ask(client, vendor, stream);
    expect([response.status, response.error]).toMatchObject(overloaded[client]);
  });

  it.each(clients)('reports the vendor’s retry delay to %s', async (client) => {
    answer = vendorMessage({ status: 503, body: {}, headers: { 'retry-after': '7' } });
    expect((await ask(client, 'openai')).headers.get('retry-after')).toBe('7');
  });

  it.each(vendors)('is not assumed for another failure of %s', async (vendor) => {
    answer = vendorMessage({ status: 500, body: { error: { message: 'Internal error' } } });
    for (const client of clients) expect((await ask(client, vendor)).status).toBe(502);
  });
});

const begun = `data: ${JSON.stringify({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }],
})}\n\n`;

/** A stream that fails after its first words. */
const breaking =
  (error: unknown): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(begun);
    response.end(`data: ${JSON.stringify({ error })}\n\n`);
  };

describe('an error in the middle of a stream', () => {
  it.each(clients)('is an overload for %s', async (client) => {
    answer = breaking({ code: 'server_is_overloaded', type: 'service_unavailable_error', message: 'Busy' });
    const response = await ask(client, 'openai', true);
    const { type, ...error } = { type: undefined, ...overloaded[client][1] };
    expect(response.status).toBe(200);
    expect(response.text).toContain('Hello');
    // The failed response of the Responses API has no type.
    expect(response.error).toMatchObject(client === 'responses' || type === undefined ? error : { type, ...error });
  });

  it.each([
    ['chat', { code: 'context_length_exceeded' }],
    ['responses', { code: 'context_length_exceeded' }],
    ['messages', { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' }],
    ['gemini', { status: 'INVALID_ARGUMENT', code: 400 }],
  ] as const)('is an overflow for %s', async (client, error) => {
    const message = "This model's maximum context length is 8 tokens. However, you requested 9 tokens";
    answer = breaking({ message, type: 'invalid_request_error', code: null });
    expect((await ask(client, 'openai', true)).error).toMatchObject(error);
  });
});

const sizes = { tokens: 213_462, limit: 200_000 };
const overflows: readonly (readonly [string, Vendor, number, unknown])[] = [
  [
    'anthropic',
    'anthropic',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
    },
  ],
  [
    'gemini',
    'gemini',
    400,
    {
      error: {
        code: 400,
        message: 'The input token count (213462) exceeds the maximum number of tokens allowed (200000).',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  [
    'openai',
    'openai',
    400,
    {
      error: {
        message:
          "This model's maximum context length is 200000 tokens. However, your messages resulted in 213462 tokens.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  ],
  [
    'llama.cpp',
    'openai',
    400,
    {
      error: {
        code: 400,
        type: 'exceed_context_size_error',
        message: 'the request exceeds the available context size',
        n_prompt_tokens: 213_462,
        n_ctx: 200_000,
      },
    },
  ],
  [
    'a proxy that calls it a failure',
    'openai',
    500,
    {
      error: {
        message:
          "Requested token count exceeds the model's maximum context length of 200000 tokens. You requested a total of 213462 tokens",
        type: 'api_error',
      },
    },
  ],
];

describe('a prompt that is too long', () => {
  it.each(cases(overflows))(
    'at $row.0 is what agents of $client look for, stream $stream',
    async ({ row, client, stream }) => {
      const [, vendor, status, body] = row;
      answer = vendorMessage({ status, body });
      const response = await ask(client, vendor, stream);
      const message = String(response.error['message']);
      if (client !== 'responses') expect(response.status).toBe(400);
      if (client === 'messages') expect(response.error['type']).toBe('invalid_request_error');
      else if (client === 'gemini') expect(response.error['status']).toBe('INVALID_ARGUMENT');
      else expect(response.error['code']).toBe('context_length_exceeded');
      if (client === 'messages')
        expect(message).toBe(`prompt is too long: ${sizes.tokens} tokens > ${sizes.limit} maximum`);
      if (client === 'gemini')
        expect(message).toBe(
          `The input token count (${sizes.tokens}) exceeds the maximum number of tokens allowed (${sizes.limit}).`,
        );
    },
  );

  it.each([
    ['anthropic', 200],
    ['gemini', 200],
    ['openai', 400],
  ] as const)('ends the stream of responses that %s was asked for as Codex expects it', async (vendor, status) => {
    answer = vendorMessage({ status: 400, body: overflows.find(([name]) => name === vendor)?.[3] });
    const response = await ask('responses', vendor, true);
    expect(response.status).toBe(status);
    if (status === 200)
      expect(response.text).toMatch(/event: response\.failed\ndata: .*"code":"context_length_exceeded"/);
  });
});

const refusals = {
  openai: {
    error: {
      message: 'Unsupported value',
      type: 'invalid_request_error',
      param: 'temperature',
      code: 'unsupported_value',
      hint: { tried: [2] },
    },
  },
  anthropic: {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'temperature: too high', hint: 'x' },
    request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
  },
  gemini: {
    error: {
      code: 400,
      message: 'Bad temperature',
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'generation_config.temperature' }],
        },
      ],
    },
  },
} as const;

describe('a refused request', () => {
  it.each(clients.flatMap((client) => [400, 404, 409, 413, 422].map((status) => [client, status] as const)))(
    'reaches %s of the same shape as its vendor wrote it, under %i',
    async (client, status) => {
      const vendor = shapes[client];
      answer = vendorMessage({ status, body: refusals[vendor], headers: { 'request-id': 'req_vendor' } });
      for (const stream of wholeAndStream) {
        const response = await ask(client, vendor, stream);
        expect(response.status).toBe(status);
        const body = refusals[vendor];
        expect(JSON.parse(response.text)).toEqual(
          client === 'responses' ? { error: { ...body.error, param: null } } : body,
        );
        expect(response.headers.get('x-switchyard-upstream-request-id')).toBe('req_vendor');
        expect(response.headers.get('x-request-id')).not.toBe('req_vendor');
      }
    },
  );

  it.each(
    clients.flatMap((client) =>
      vendors.filter((vendor) => vendor !== shapes[client]).map((vendor) => [client, vendor] as const),
    ),
  )('sends %s the message of %s in its own format', async (client, vendor) => {
    answer = vendorMessage({ status: 422, body: refusals[vendor] });
    const { status, error } = await ask(client, vendor);
    expect(status).toBe(422);
    expect(error['message']).toContain(refusals[vendor].error.message);
    if (client === 'messages') expect(error['type']).toBe('invalid_request_error');
    else if (client === 'gemini') expect(error['status']).toBe('INVALID_ARGUMENT');
    else expect(error).toMatchObject({ type: 'invalid_request_error', code: 'upstream_rejected', param: null });
  });

  it('never names a field that the client did not send', async () => {
    const error = { message: 'Bad', type: 'invalid_request_error', param: 'messages[0].content', code: 'invalid_type' };
    answer = vendorMessage({ status: 400, body: { error } });
    expect((await ask('chat', 'openai')).error).toEqual(error);
    expect((await ask('responses', 'openai')).error).toEqual({ ...error, param: 'input' });
    expect((await ask('messages', 'openai')).text).not.toContain('messages[0]');
    expect((await ask('gemini', 'openai')).text).not.toContain('messages[0]');
  });

  it('hides the operator’s account', async () => {
    const message = `No access for org-4Tz9QmL2x with ${key}. See https://platform.example.com/settings/organization/8812345/billing?team=9 or write to admin@example.com about project 123456789012.`;
    answer = vendorMessage({
      status: 400,
      body: {
        error: {
          message,
          type: 'invalid_request_error',
          code: null,
          metadata: { note: message, owner: 'projects/secret-77' },
        },
        user_id: 'user_2fXy991',
      },
    });
    for (const client of clients) {
      const { text } = await ask(client, 'openai');
      expect(text).not.toMatch(/4Tz9|8Qm2|8812345|admin@|123456789012|secret-77|2fXy991/);
    }
  });

  it.each([401, 402, 403])('is never a %i of the operator’s own account', async (status) => {
    answer = vendorMessage({
      status,
      body: { error: { message: 'secret words', type: 'invalid_request_error', code: 'invalid_api_key' } },
    });
    for (const client of clients) {
      const response = await ask(client, 'openai');
      expect(response.status).toBe(503);
      expect(response.text).not.toContain('secret words');
    }
  });
});

describe('a broken connection', () => {
  it.each(clients)('is not reported as a timeout to %s', async (client) => {
    answer = (response) => response.destroy();
    const reply = await ask(client, 'openai');
    expect(reply.status).toBe(502);
    expect(reply.text).toMatch(/The connection to the provider of \S+ was lost\./);
    expect(reply.text).not.toContain('127.0.0.1');
  });

  it.each(clients)('that cannot be established is reported to %s', async (client) => {
    const response = await ask(client, 'closed');
    expect(response.status).toBe(502);
    expect(response.text).toMatch(/The connection to the provider of \S+ could not be established\./);
  });
});

describe('an unknown model', () => {
  it.each([
    ['chat', { type: 'invalid_request_error', code: 'model_not_found', param: 'model' }],
    ['responses', { type: 'invalid_request_error', code: 'model_not_found', param: 'model' }],
    ['messages', { type: 'not_found_error' }],
    ['gemini', { code: 404, status: 'NOT_FOUND' }],
  ] as const)('is not found by %s', async (client, error) => {
    for (const stream of wholeAndStream) {
      const response = await ask(client, 'unheard-of', stream);
      expect([response.status, response.error]).toMatchObject([404, error]);
    }
  });

  it('includes one that no channel offers for that operation', async () => {
    const response = await scene.post('/v1/audio/speech', { model: 'anthropic-model', input: 'hi', voice: 'a' });
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'model_not_found' } }]);
  });
});

describe('an exhausted quota', () => {
  it.each([
    ['chat', 429, { type: 'insufficient_quota', code: 'insufficient_quota' }],
    ['responses', 429, { type: 'insufficient_quota', code: 'insufficient_quota' }],
    ['messages', 402, { type: 'billing_error' }],
    ['gemini', 429, { code: 429, status: 'RESOURCE_EXHAUSTED' }],
  ] as const)('is told to %s as its own, of a user and of a token', async (client, status, error) => {
    const previous = scene.key;
    const poor = await scene.createUser('user', { quota: 0 });
    for (const empty of [
      await scene.newKey({ unlimited_quota: true }, poor),
      await scene.newKey({ unlimited_quota: false }),
    ]) {
      scene.key = empty;
      const response = await ask(client, 'openai').finally(() => (scene.key = previous));
      expect([response.status, response.error]).toMatchObject([status, error]);
      expect(response.headers.get('retry-after')).toBeNull();
      expect(response.headers.get('x-should-retry')).toBe('false');
    }
  });
});

async function readToEnd(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('the official clients', () => {
  it('raise their own errors', async () => {
    const openai = new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1`, maxRetries: 0 });
    const anthropic = new Anthropic({ apiKey: scene.key, baseURL: scene.url, maxRetries: 0 });
    const google = new GoogleGenAI({ apiKey: scene.key, httpOptions: { baseUrl: `${scene.url}/gemini` } });
    answer = vendorMessage({ status: 400, body: overflows[1]?.[3] });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const chat = openai.chat.completions.create({ model: 'gemini-model', messages });
    await expect(chat).rejects.toThrow(OpenAI.BadRequestError);
    await expect(chat).rejects.toMatchObject({ code: 'context_length_exceeded' });
    const message = anthropic.messages.create({ model: 'gemini-model', max_tokens: 9, messages });
    await expect(message).rejects.toThrow(Anthropic.BadRequestError);
    await expect(message).rejects.toThrow('prompt is too long: 213462 tokens > 200000 maximum');
    const responses = await openai.responses.create({ model: 'gemini-model', input: 'hi', stream: true });
    await expect(readToEnd(responses)).rejects.toMatchObject({ code: 'context_length_exceeded' });
    const generated = google.models.generateContent({ model: 'gemini-model', contents: 'hi' });
    await expect(generated).rejects.toThrow(ApiError);
    await expect(generated).rejects.toMatchObject({ status: 400 });
  });
});
