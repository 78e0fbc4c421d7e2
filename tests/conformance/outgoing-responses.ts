/** Responses that the gateway sends to clients of each dialect, from all responses that the tests' upstreams send. */
import { parseSseEvents, type ResponseReader, UpstreamError } from '@switchyard/relay';
import * as fc from 'fast-check';
import { getDialect } from '../../packages/relay/src/exchange/dialect-registry.ts';
import { serializeResponse } from '../../packages/relay/src/exchange/encode-chat-response.ts';
import type { ErrorDetail } from '../../packages/relay/src/model/dialect.ts';
import { sampleRequest } from '../../packages/relay/src/testing/sample-requests.ts';
import { printSeed, seed } from '../tier.ts';
import { arbitraryResponse } from './random-answers.ts';
import { buildBody, type Dialect, dialects, recordings } from './recorded-files.ts';
import { nonStreamingClients, streamClients } from './relay-clients.ts';
import { sources } from './stream-sources.ts';

export interface OutgoingResponse {
  name: string;
  client: Dialect;
  isStream: boolean;
  /** Events of a stream, without `[DONE]`. */
  payloads: readonly string[];
}

const RANDOM_ANSWERS = 300;
const NAME_MAX = 500;

/** Returns responses and streams of upstreams, translated for every client that speaks another dialect. */
export function listTranslatedResponses(): OutgoingResponse[] {
  const streams = sources.map(({ name, dialect, events }) => {
    const body = buildBody({ name, dialect, events: [...events], isStream: true });
    return { name, dialect, body, isStream: true };
  });
  const whole = recordings
    .filter(({ isStream }) => !isStream)
    .map((recording) => ({ ...recording, body: buildBody(recording) }));
  return [...streams, ...whole].flatMap(({ name, dialect, body, isStream }) =>
    (isStream ? streamClients : nonStreamingClients)
      .filter((client) => client.dialect !== dialect && !client.isArray)
      .map((client): OutgoingResponse => {
        const reader = client.exchanges.get(dialect)?.readResponse();
        if (reader === undefined) throw new Error(`No client of ${client.dialect} asks ${dialect}`);
        return toOutgoing(name, client.dialect, isStream, readAll(reader, body));
      }),
  );
}

/** Returns the events before an upstream's error, with the error. */
function readAll(reader: ResponseReader, body: Buffer): Buffer {
  try {
    return Buffer.concat([reader.push(body), reader.end()]);
  } catch (error) {
    if (error instanceof UpstreamError) return Buffer.alloc(0);
    throw error;
  }
}

/** Returns random responses whose events may follow in any order. */
export function generateRandomResponses(): OutgoingResponse[] {
  printSeed();
  return fc.sample(arbitraryResponse, { seed, numRuns: RANDOM_ANSWERS }).flatMap((events) =>
    dialects.flatMap((client) => {
      const { chat } = getDialect(client);
      if (chat === undefined) throw new Error(`${client} is no dialect of chats`);
      const name = JSON.stringify(events).slice(0, NAME_MAX);
      const request = sampleRequest(client, fullRequests[client]);
      const encoder = chat.createStreamEncoder(request, new Set());
      const stream = events.map((event) => encoder.push(event)).join('') + encoder.end();
      const whole = serializeResponse(chat, events, request, new Set());
      return [toOutgoing(name, client, true, Buffer.from(stream)), toOutgoing(name, client, false, Buffer.from(whole))];
    }),
  );
}

const fullRequests: Readonly<Record<Dialect, Record<string, unknown>>> = {
  'openai-chat': { stream_options: { include_usage: true }, tools: [{ type: 'custom', custom: { name: 'sql' } }] },
  'openai-responses': { tools: [{ type: 'custom', name: 'sql' }], include: ['message.output_text.logprobs'] },
  'anthropic-messages': { thinking: { type: 'adaptive' } },
  gemini: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
};

/** Returns errors in the middle of a stream. */
export function listStreamErrors(): OutgoingResponse[] {
  const details: ErrorDetail[] = [400, 401, 402, 403, 404, 408, 413, 429, 500, 503, 504, 529].flatMap((status) => [
    { status, message: 'It failed.' },
    { status, message: 'It failed.', code: 'some_code', param: 'model' },
  ]);
  return details.flatMap((detail) =>
    dialects.map((client) => {
      const bytes = Buffer.from(getDialect(client).encodeStreamError(detail));
      return toOutgoing(`error ${detail.status}`, client, true, bytes);
    }),
  );
}

function toOutgoing(name: string, client: Dialect, isStream: boolean, bytes: Buffer): OutgoingResponse {
  const payloads = isStream
    ? parseSseEvents(bytes).flatMap(({ data }) => (data === '[DONE]' ? [] : [data]))
    : [bytes.toString('utf8')];
  return { name, client, isStream, payloads };
}
