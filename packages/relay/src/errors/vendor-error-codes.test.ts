import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { readEmbeddedError, readError } from './read-upstream-error.ts';
import type { UpstreamError, UpstreamErrorKind } from './upstream-error.ts';

const target = sampleTarget('custom');

function read(status: number, body: unknown): UpstreamErrorKind {
  return readError(target, status, {}, Buffer.from(JSON.stringify(body))).kind;
}

function inside(body: unknown): UpstreamErrorKind {
  return readEmbeddedError(body, target).kind;
}

/** Error bodies of OpenAI, Anthropic, Google and xAI that hold the word. */
const places: readonly (readonly [string, (word: string) => unknown])[] = [
  ['code', (word) => ({ error: { message: 'Sorry.', code: word, type: 'unheard_of' } })],
  ['type', (word) => ({ type: 'error', error: { type: word, message: 'Sorry.' } })],
  ['status', (word) => ({ error: { code: 200, message: 'Sorry.', status: word } })],
  ['top-level code', (word) => ({ code: word, error: 'Sorry.' })],
];

const clientsFaults = [
  'invalid_prompt',
  'invalid_image',
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image_url',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'invalid_image_mode',
  'image_file_too_large',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_not_found',
  'bio_policy',
  'cyber_policy',
  'misalignment_policy_violation',
  'context_length_exceeded',
  'string_above_max_length',
  'missing_required_parameter',
  'tool_use_failed',
  'json_validate_failed',
  'request_too_large',
  'validationException',
  'invalid_request_error',
  'not_found_error',
  'INVALID_ARGUMENT',
  'invalid-argument',
  'FAILED_PRECONDITION',
  'OUT_OF_RANGE',
  'NOT_FOUND',
  'BadRequestError',
];
const vendorsFaults = [
  'server_error',
  'vector_store_timeout',
  'overloaded_error',
  'api_error',
  'timeout_error',
  'UNAVAILABLE',
  'INTERNAL',
  'DEADLINE_EXCEEDED',
  'engine_overloaded_error',
  'internalServerException',
  'InternalServerError',
];
const limits = [
  'rate_limit_exceeded',
  'rate_limit_error',
  'RESOURCE_EXHAUSTED',
  'throttlingException',
  'too_many_requests',
];
const refusedKeys = ['invalid_api_key', 'authentication_error', 'UNAUTHENTICATED', 'PERMISSION_DENIED'];
const emptyAccounts = ['insufficient_quota', 'billing_error', 'billing_not_active', 'payment_required'];

describe('the table of error words', () => {
  const rows = [
    ...clientsFaults.map((word) => [word, 'rejected'] as const),
    ...vendorsFaults.map((word) => [word, 'overloaded'] as const),
    ...limits.map((word) => [word, 'rate-limited'] as const),
    ...refusedKeys.map((word) => [word, 'unauthorised'] as const),
    ...emptyAccounts.map((word) => [word, 'out-of-credit'] as const),
  ];
  it.each(rows)('reads %s inside a 200 as %s, wherever the vendor writes it', (word, kind) => {
    for (const [, place] of places) expect(inside(place(word))).toBe(kind);
  });

  it.each(rows)('reads %s under 400 as %s unless it names a failing server', (word, kind) => {
    const isServers = kind === 'overloaded' && word !== 'overloaded_error';
    for (const [, place] of places) expect(read(400, place(word))).toBe(isServers ? 'rejected' : kind);
  });

  it.each(['unheard_of', 'constructor', '', 'x'.repeat(100_000)])(
    'blames the vendor for an unknown word such as %j inside a 200',
    (word) => {
      for (const [, place] of places.slice(0, 2)) expect(inside(place(word))).toBe('overloaded');
    },
  );
});

describe('the precedence of code, type and status', () => {
  const invalid = { message: 'Sorry.', type: 'invalid_request_error' };
  it.each([
    [401, 'unauthorised'],
    [402, 'out-of-credit'],
    [403, 'unauthorised'],
    [408, 'rate-limited'],
    [429, 'rate-limited'],
    [500, 'overloaded'],
    [503, 'overloaded'],
    [529, 'overloaded'],
    [400, 'rejected'],
    [404, 'rejected'],
    [422, 'rejected'],
  ] as const)('keeps the status %i as %s when the type says invalid_request_error', (status, kind) => {
    expect(read(status, { error: { ...invalid, code: null } })).toBe(kind);
    expect(read(status, { error: { message: 'Sorry.', code: 'invalid_request_error' } })).toBe(kind);
    expect(read(status, { error: { code: status, message: 'Sorry.', status: 'INVALID_ARGUMENT' } })).toBe(kind);
    expect(inside({ error: { ...invalid, code: status } })).toBe(kind);
    expect(inside({ error: { ...invalid, status_code: status } })).toBe(kind);
  });

  it.each([401, 403, 429, 500, 503])('lets a precise code take precedence over the status %i', (status) => {
    const coded = (code: string): unknown => ({ error: { ...invalid, code } });
    expect(read(status, coded('context_length_exceeded'))).toBe('rejected');
    expect(read(status, coded('invalid_prompt'))).toBe('rejected');
    expect(read(status, coded('insufficient_quota'))).toBe('out-of-credit');
    expect(read(status, coded('invalid_api_key'))).toBe('unauthorised');
    expect(read(status, coded('rate_limit_exceeded'))).toBe('rate-limited');
  });

  it.each([
    ['a precise code before a precise type', 'rate_limit_exceeded', 'authentication_error', 'rate-limited'],
    ['a precise code before a broad type', 'insufficient_quota', 'invalid_request_error', 'out-of-credit'],
    // DeepSeek's wrong key.
    ['a precise type before a broad code', 'invalid_request_error', 'authentication_error', 'unauthorised'],
    ['a broad code before a broad type', 'server_error', 'invalid_request_error', 'overloaded'],
  ] as const)('reads %s', (_, code, type, kind) => {
    expect(inside({ error: { message: 'Sorry.', code, type } })).toBe(kind);
  });

  it('reads Google’s reason before its status word', () => {
    const error = {
      code: 400,
      message: 'Sorry.',
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
    };
    expect(read(400, { error })).toBe('unauthorised');
    expect(inside([{ error }])).toBe('unauthorised');
  });

  it('blames the client for a request above the limit per minute, inside a 200 as well', () => {
    const message = 'Request too large for gpt-x on tokens per min (TPM): Limit 1, Requested 2.';
    expect(inside({ error: { code: 'rate_limit_exceeded', message } })).toBe('rejected');
    expect(inside({ error: { code: 'server_error', message } })).toBe('overloaded');
  });
});

describe('an error inside a response of status 200', () => {
  function failure(read: () => void): Partial<UpstreamError> {
    try {
      read();
    } catch (error) {
      return error as UpstreamError;
    }
    throw new Error('No error was thrown.');
  }

  const failed = (code: string): unknown => ({
    id: 'resp_a',
    object: 'response',
    status: 'failed',
    output: [],
    error: { code, message: 'Too long by far.' },
  });
  const bodies: readonly (readonly [string, unknown, readonly string[]])[] = [
    [
      'openai-responses',
      failed('context_length_exceeded'),
      [
        `data: ${JSON.stringify({ type: 'response.failed', response: failed('context_length_exceeded') })}\n\n`,
        'data: {"type":"error","code":"invalid_prompt","message":"Too long by far.","param":null}\n\n',
      ],
    ],
    [
      'openai-chat',
      { error: { message: 'Too long by far.', type: 'invalid_request_error', code: 'tool_use_failed' } },
      [
        'data: {"error":{"message":"Too long by far.","code":"string_above_max_length"}}\n\n',
        'event: error\ndata: {"error":{"message":"Too long by far.","type":"invalid_request_error","status_code":400}}\n\n',
      ],
    ],
    [
      'anthropic-messages',
      { type: 'error', error: { type: 'request_too_large', message: 'Too long by far.' } },
      [
        'event: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"Too long by far."}}\n\n',
      ],
    ],
    [
      'gemini',
      { error: { code: 400, message: 'Too long by far.', status: 'INVALID_ARGUMENT' } },
      ['data: {"error":{"message":"Too long by far.","status":"FAILED_PRECONDITION"}}\n\n'],
    ],
  ];
  const formats = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
  const providers: Readonly<Record<string, string>> = {
    'openai-chat': 'custom',
    'openai-responses': 'custom',
    'anthropic-messages': 'anthropic',
    gemini: 'gemini',
  };

  for (const [upstream, whole, streams] of bodies) {
    const channel = sampleTarget(providers[upstream] ?? '', {
      ...(upstream === 'openai-responses' && { options: { api: 'responses' } }),
    });
    for (const client of formats) {
      it(`blames a client of ${client} with the vendor’s reason for its error from ${upstream} inside a 200`, () => {
        const expected = { kind: 'rejected', status: 200, message: 'Too long by far.' };
        const reader = planExchange(sampleRequest(client), channel).readResponse();
        reader.push(Buffer.from(JSON.stringify(whole)));
        expect(failure(() => reader.end())).toMatchObject(expected);
        for (const stream of streams) {
          const streaming = planExchange(sampleRequest(client, { stream: true }), channel).readResponse();
          expect(
            failure(() => {
              streaming.push(Buffer.from(stream));
              streaming.end();
            }),
          ).toMatchObject(expected);
        }
      });
    }
  }

  it('blames the channel for a failed response that gives no reason', () => {
    const channel = sampleTarget('custom', { options: { api: 'responses' } });
    const reader = planExchange(sampleRequest('openai-responses'), channel).readResponse();
    reader.push(Buffer.from('{"object":"response","status":"failed","error":null,"output":[]}'));
    expect(failure(() => reader.end())).toMatchObject({ kind: 'overloaded' });
  });
});
