/** Sample requests and channels for tests. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getDialect } from '../exchange/dialect-registry.ts';
import { readRequest } from '../exchange/read-request.ts';
import type { ClientRequest, RequestRoute } from '../model/client-request.ts';
import type { DialectId } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Target } from '../model/provider.ts';
import { findProvider } from '../providers.ts';

export function sampleTarget(provider: string, changes: Partial<Target> = {}): Target {
  const found = findProvider(provider);
  if (found === undefined) throw new InvalidRequestError(`There is no provider ${provider}.`);
  return {
    provider: found,
    baseUrl: found.baseUrl ?? 'https://upstream.test',
    credentials: { key: 'sample-secret-key' },
    options: {},
    headers: {},
    model: 'vendor-model',
    ...changes,
  };
}

/** Returns an upstream that only supports Responses, so that other dialects are translated to it. */
export function responsesOnly(): Target {
  const { provider, ...target } = sampleTarget('openai');
  const chat = [{ format: 'openai-responses' as const, path: '/v1/responses' }];
  return { ...target, provider: { ...provider, endpoints: { chat } } };
}

export function sampleRequest(format: DialectId, fields: Record<string, unknown> = {}): ClientRequest {
  const messages = { messages: [{ role: 'user', content: 'hi' }] };
  const picture = { prompt: 'a cat', image: 'https://pictures.test/cat.png' };
  const prompts: Record<DialectId, Record<string, unknown>> = {
    'openai-chat': messages,
    'anthropic-messages': messages,
    'openai-responses': { input: 'hi' },
    gemini: { contents: [{ parts: [{ text: 'hi' }] }] },
    'gemini-embeddings': { content: { parts: [{ text: 'hi' }] } },
    'openai-completions': { prompt: 'hi' },
    'openai-embeddings': { input: 'hi' },
    'openai-images': picture,
    'openai-image-edits': picture,
    'openai-image-variations': picture,
    'openai-speech': { input: 'hi', voice: 'alloy' },
    'openai-transcription': {},
    'openai-translation': {},
    'openai-moderation': { input: 'hi' },
    rerank: { query: 'hi', documents: ['hello', 'goodbye'] },
    'cohere-rerank': { query: 'hi', documents: ['hello', 'goodbye'] },
    'openai-realtime': {},
    'openai-videos': { prompt: 'a cat walks' },
    midjourney: { prompt: 'a cat' },
    'midjourney-uploads': { base64Array: ['data:image/png;base64,iVBORw0KGgo='] },
    'kling-videos': { model_name: 'kling-v1', prompt: 'a cat walks' },
    'video-generations': { prompt: 'a cat walks' },
    suno: { gpt_description_prompt: 'a song about a cat' },
    'openai-video-remix': { prompt: 'at night' },
  };
  if (format === 'gemini') {
    const { stream, ...body } = fields;
    return geminiRequest({ ...prompts.gemini, ...body }, { stream: stream === true });
  }
  if (format === 'gemini-embeddings')
    return geminiRequest({ ...prompts[format], ...fields }, { operation: 'embeddings', format });
  return rawRequest(format, JSON.stringify({ model: 'vendor-model', ...prompts[format], ...fields }));
}

/** Returns a Gemini request, whose path contains what other dialects have in the body. */
export function geminiRequest(body: unknown, route: Partial<RequestRoute> = {}): ClientRequest {
  const said = { operation: 'chat', format: 'gemini', model: 'vendor-model', stream: false, ...route } as const;
  return readRequest(said, Buffer.from(JSON.stringify(body)), {});
}

export function rawRequest(format: DialectId, body: string, headers: Record<string, string> = {}): ClientRequest {
  return readRequest({ operation: getDialect(format).operation, format }, Buffer.from(body), headers);
}

/** Returns a form request with texts, and with files named like their fields. */
export function formRequest(format: DialectId, fields: Readonly<Record<string, string | Buffer>>): ClientRequest {
  const { operation } = getDialect(format);
  const route = { operation, format, form: 'also' } as const;
  return readRequest(route, formBody(fields), { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` });
}

export const BOUNDARY = 'sample-boundary';

export function formBody(fields: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    const isText = typeof value === 'string';
    const file = isText ? '' : `; filename="${name}.bin"\r\ncontent-type: application/octet-stream`;
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')];
  });
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** Returns the bytes of a fixture. @param name for example `openai/chat-text.sse` */
export function fixture(name: string): Buffer {
  return readFileSync(path.join(import.meta.dirname, '../../fixtures', name));
}
