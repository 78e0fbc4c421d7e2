/** Made-up requests and channels, for tests only. */
import type { ClientRequest } from './exchange.ts';
import { InvalidRequest } from './format.ts';
import type { FormatId, Operation, Target } from './provider.ts';
import { findProvider } from './providers/providers.ts';
import { readRequest } from './read-request.ts';

const operations: Record<FormatId, Operation> = {
  'openai-chat': 'chat',
  'anthropic-messages': 'chat',
  'openai-completions': 'completions',
  'openai-embeddings': 'embeddings',
  'openai-images': 'images',
  'openai-image-edits': 'images',
  'openai-image-variations': 'images',
  'openai-speech': 'speech',
  'openai-transcription': 'transcription',
  'openai-translation': 'transcription',
  'openai-moderation': 'moderation',
  rerank: 'rerank',
};

export function sampleTarget(provider: string, changes: Partial<Target> = {}): Target {
  const found = findProvider(provider);
  if (found === undefined) throw new InvalidRequest(`There is no provider ${provider}.`);
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

export function sampleRequest(format: FormatId, fields: Record<string, unknown> = {}): ClientRequest {
  const prompt: Record<Operation, Record<string, unknown>> = {
    chat: { messages: [{ role: 'user', content: 'hi' }] },
    completions: { prompt: 'hi' },
    embeddings: { input: 'hi' },
    images: { prompt: 'a cat', image: 'https://pictures.test/cat.png' },
    speech: { input: 'hi', voice: 'alloy' },
    transcription: {},
    moderation: { input: 'hi' },
    rerank: { query: 'hi', documents: ['hello', 'goodbye'] },
  };
  const operation = operations[format];
  return rawRequest(format, JSON.stringify({ model: 'vendor-model', ...prompt[operation], ...fields }));
}

export function rawRequest(
  format: FormatId,
  body: string,
  headers: Record<string, string> = {},
): ClientRequest {
  return readRequest({ operation: operations[format], format }, Buffer.from(body), headers);
}

/** Texts, and files as their bytes; each file is named like its field. */
export function formRequest(
  format: FormatId,
  fields: Readonly<Record<string, string | Buffer>>,
): ClientRequest {
  const route = { operation: operations[format], format, form: 'also' } as const;
  return readRequest(route, formBody(fields), {
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
  });
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
