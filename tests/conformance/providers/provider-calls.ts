/** One call of a fixture, planned and translated like by the gateway. */
import {
  type ClientRequest,
  type DialectId,
  type Exchange,
  type Provider,
  planExchange,
  readCredentials,
  readRequest,
  resolveBaseUrl,
  type Target,
} from '@switchyard/relay';
import { parseJson } from '@switchyard/relay/json';
import { getDialect } from '../../../packages/relay/src/exchange/dialect-registry.ts';
import { EVENT_STREAM, encodeEventStream } from '../../scripted-upstream/event-stream.ts';
import type { ProviderCall, ProviderCases, ProviderEvent } from './provider-cases.ts';

const formats: readonly string[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'openai-completions',
  'openai-embeddings',
  'gemini-embeddings',
  'openai-images',
  'openai-image-edits',
  'openai-image-variations',
  'openai-speech',
  'openai-transcription',
  'openai-translation',
  'openai-moderation',
  'rerank',
  'openai-videos',
  'openai-video-remix',
  'midjourney',
  'midjourney-uploads',
  'suno',
  'kling-videos',
  'video-generations',
] satisfies DialectId[];

function isFormat(text: string): text is DialectId {
  return formats.includes(text);
}

/** The dialect of a call's client. */
export function getClientDialect(call: ProviderCall): DialectId {
  const { format } = call.client;
  if (!isFormat(format)) throw new Error(`there is no dialect ${format}`);
  return format;
}

/** @param model model id at the vendor */
export function createTarget(
  provider: Provider,
  { key, base_url, options, access_token }: ProviderCases['channel'],
  model: string,
): Target {
  const held = readCredentials(provider, key);
  const credentials = access_token === undefined ? held : { ...held, accessToken: access_token };
  return {
    provider,
    baseUrl: resolveBaseUrl(provider, base_url, { credentials, options }),
    credentials,
    options,
    headers: {},
    model,
  };
}

export function createClientRequest(call: ProviderCall): ClientRequest {
  const format = getClientDialect(call);
  const { operation } = getDialect(format);
  const { body, file, headers, order } = call.client;
  if (file !== undefined) return formRequest(format, body, file);
  const route = { operation, format, ...(order === undefined ? {} : { submission: order }) };
  if (!format.startsWith('gemini')) return readRequest(route, Buffer.from(JSON.stringify(body)), headers);
  const { model, stream, ...said } = body;
  const named = { ...route, model: typeof model === 'string' ? model : '', stream: stream === true };
  return readRequest(named, Buffer.from(JSON.stringify(said)), headers);
}

function formRequest(
  format: DialectId,
  fields: Record<string, unknown>,
  file: { field: string; name: string; text: string },
): ClientRequest {
  const parts = Object.entries(fields).map(([name, value]) => formatFormPart(`name="${name}"`, String(value)));
  const bytes = [
    ...parts,
    formatFormPart(`name="${file.field}"; filename="${file.name}"`, file.text),
    `--${BOUNDARY}--\r\n`,
  ];
  return readRequest({ operation: getDialect(format).operation, format, form: 'only' }, Buffer.from(bytes.join('')), {
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
  });
}

const BOUNDARY = 'between-the-fields';

function formatFormPart(disposition: string, value: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
}

export function planProviderExchange(provider: Provider, cases: ProviderCases, call: ProviderCall): Exchange {
  const request = createClientRequest(call);
  const usual = call.key === undefined ? cases.channel : { ...cases.channel, access_token: undefined };
  const { options = usual.options, base_url = usual.base_url } = call;
  const { key = usual.key, access_token = usual.access_token } = call;
  const channel = { key, options, base_url, access_token };
  return planExchange(request, createTarget(provider, channel, request.facts.model));
}

/** Upstream request: an object, the fields of a form, or else its text. */
export async function readSentBody({ headers, body }: Exchange): Promise<unknown> {
  const type = headers[headers.indexOf('content-type') + 1] ?? '';
  const text = body.toString('utf8');
  if (!type.startsWith('multipart/')) return parseJson(text) ?? text;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const fields = [...form].map(async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()]);
  return Object.fromEntries(await Promise.all(fields));
}

/** Bytes and headers of the vendor's response. */
export function readVendorResponse({ answer }: ProviderCall): { body: Buffer; headers: Record<string, string> } {
  if ('events' in answer) {
    const body = Buffer.from(answer.events.map(formatEvent).join(''));
    return { body, headers: { 'content-type': 'text/event-stream' } };
  }
  if ('messages' in answer)
    return { body: encodeEventStream(answer.messages), headers: { 'content-type': EVENT_STREAM } };
  if ('text' in answer) return { body: Buffer.from(answer.text), headers: answer.headers };
  if ('base64' in answer) return { body: Buffer.from(answer.base64, 'base64'), headers: answer.headers };
  const { json, headers = { 'content-type': 'application/json' } } = answer;
  return { body: Buffer.from(JSON.stringify(json)), headers };
}

/** Vendors whose events have a type; it is also written before the data, and the official clients rely on it. */
function formatEvent(event: ProviderEvent): string {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const { type } = event;
  const name = typeof type === 'string' ? `event: ${type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

export function pickHeaders({ headers }: Exchange): Record<string, string> {
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []));
  return Object.fromEntries(pairs.filter(([name]) => !usualHeaders.has(name)));
}

/** The same for every vendor. */
const usualHeaders = new Set(['accept', 'accept-encoding', 'content-type']);
