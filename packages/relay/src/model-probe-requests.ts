/** Minimal request that shows whether a channel serves a model. */

import { findTokenCountEndpoint } from './exchange/plan-token-count.ts';
import { readRequest } from './exchange/read-request.ts';
import type { ClientRequest, RequestRoute } from './model/client-request.ts';
import type { DialectId, Operation } from './model/dialect-id.ts';
import { type ModelContext, modelOperation } from './model/facts-from-model-name.ts';
import type { Target } from './model/provider.ts';

/** Output cap that suffices for a word of any model; some vendors refuse less. */
const TEST_OUTPUT_TOKENS = 16;
/** Format of the recording for transcription models. */
const SAMPLES_PER_SECOND = 8_000;
const SAMPLE_BYTES = 2;
const HEAD_BYTES = 44;
const PCM = 1;

/** Test of a model. */
export interface ModelTest {
  operation: Operation;
  /** Request to send; undefined for sessions, and for tasks that cost as much as a client's. */
  request: ClientRequest | undefined;
  /** True if the test costs almost nothing; others run only when an administrator requests them. */
  isCheap: boolean;
}

/** Plans the test of a model. @param context context of the tested channel */
export function planModelTest(model: string, context: ModelContext = {}): ModelTest {
  const operation = modelOperation(model, context);
  // Each response of these models uses dozens of searches.
  if (/deep-research/i.test(context.atVendor ?? model)) return { operation, request: undefined, isCheap: false };
  const request = requests[operation]?.(model, modelOperation(context.atVendor ?? model));
  return { operation, request, isCheap: request !== undefined && !makesImages(model, context) };
}

/** Returns a chat request of one word, regardless of the model's operation. */
export function createChatTest(model: string, more: Record<string, unknown> = {}): ClientRequest {
  const messages = [{ role: 'user', content: 'hi' }];
  return createTestRequest('chat', 'openai-chat', { model, messages, max_tokens: TEST_OUTPUT_TOKENS, ...more });
}

/** Returns whether the model generates images, even if its vendor offers it in chats. */
function makesImages(model: string, context: ModelContext): boolean {
  const { provider: _provider, ...named } = context;
  return modelOperation(model, context) === 'images' || modelOperation(model, named) === 'images';
}

/** @param named operation that the model's name suggests, if the vendor offers another one instead */
type MakeRequest = (model: string, named: Operation) => ClientRequest;

const requests: Partial<Record<Operation, MakeRequest>> = {
  chat: (model, named) => createChatTest(model, audioFields(model, named)),
  completions: (model) =>
    createTestRequest('completions', 'openai-completions', { model, prompt: 'hi', max_tokens: TEST_OUTPUT_TOKENS }),
  embeddings: (model) => createTestRequest('embeddings', 'openai-embeddings', { model, input: 'hi' }),
  rerank: (model) => createTestRequest('rerank', 'rerank', { model, query: 'hi', documents: ['hi'] }),
  moderation: (model) => createTestRequest('moderation', 'openai-moderation', { model, input: 'hi' }),
  speech: (model) => createTestRequest('speech', 'openai-speech', { model, input: 'hi', voice: 'alloy' }),
  transcription: createTranscriptionTest,
  images: (model) =>
    createTestRequest('images', 'openai-images', {
      model,
      prompt: 'a grey square',
      // The default may be the most expensive quality. https://platform.openai.com/docs/guides/image-generation
      ...(/gpt-image/i.test(model) && { quality: 'low' }),
    }),
};

/** Returns audio fields, without which audio models refuse a chat. https://platform.openai.com/docs/guides/audio */
function audioFields(model: string, named: Operation): Record<string, unknown> {
  if (named === 'speech') return { modalities: ['audio'], audio: { voice: 'alloy', format: 'pcm16' } };
  if (!/^(gpt-audio|gpt-4o(-mini)?-audio)/i.test(model)) return {};
  return { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } };
}

const BOUNDARY = 'switchyard-test';

function createTranscriptionTest(model: string): ClientRequest {
  const head = (name: string): string => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
  const body = Buffer.concat([
    Buffer.from(`${head('model')}\r\n\r\n${model}\r\n`),
    Buffer.from(`${head('file')}; filename="silence.wav"\r\nContent-Type: audio/wav\r\n\r\n`),
    createSilentAudio(),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const route = { operation: 'transcription', format: 'openai-transcription', form: 'only' } as const;
  return readRequest(route, body, headers);
}

/** Returns a request for the vendor's free token count; undefined if the vendor counts none for this model. */
export function createCountTest(model: string, target: Target): ClientRequest | undefined {
  if (modelOperation(model, { atVendor: target.model }) !== 'chat') return undefined;
  const counted = counting.find(([format]) => findTokenCountEndpoint(target, format) !== undefined);
  if (counted === undefined) return undefined;
  const [format, body] = counted;
  // Gemini's requests name the model in the URL.
  return createTestRequest('chat', format, format === 'gemini' ? body : { ...body, model }, model);
}

const counting: readonly (readonly [DialectId, Record<string, unknown>])[] = [
  ['anthropic-messages', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }],
  ['openai-responses', { input: 'hi' }],
  ['gemini', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
];

function createTestRequest(
  operation: Operation,
  format: DialectId,
  body: Record<string, unknown>,
  model?: string,
): ClientRequest {
  const route: RequestRoute = { operation, format, ...(model === undefined ? {} : { model }) };
  return readRequest(route, Buffer.from(JSON.stringify(body)), {});
}

/**
 * Returns a WAV file with one second of silence: vendors refuse less than a tenth.
 * http://soundfile.sapp.org/doc/WaveFormat
 */
function createSilentAudio(): Buffer {
  const dataBytes = SAMPLES_PER_SECOND * SAMPLE_BYTES;
  const file = Buffer.alloc(HEAD_BYTES + dataBytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(PCM, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  file.writeUInt32LE(dataBytes, 28);
  file.writeUInt16LE(SAMPLE_BYTES, 32);
  file.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(dataBytes, 40);
  return file;
}
