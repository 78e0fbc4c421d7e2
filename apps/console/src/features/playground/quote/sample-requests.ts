import type { QuoteRequest } from '@switchyard/contract/playground/quote';
import { preferredModel } from '../../catalog/models/queries.ts';

type QuotedPath = QuoteRequest['path'];

/** Form values with a separate body for each relay path. */
export interface QuoteValues {
  /** Token id; empty for none. */
  token: string;
  path: QuotedPath;
  /** JSON text by relay path. */
  bodies: Record<QuotedPath, string>;
}

/** Returns a small request for each relay path, preferably with models that the user can call. */
export function sampleRequests(models: readonly string[]): Record<QuotedPath, string> {
  const isEmbedder = (name: string) => /embed/i.test(name);
  const writers = models.filter((name) => !isEmbedder(name));
  const model = preferredModel(writers) ?? 'gpt-5-mini';
  // Anthropic has no completions endpoint.
  const completer = preferredModel(writers.filter((name) => !/claude/i.test(name))) ?? model;
  const messages = [{ role: 'user', content: 'Hello!' }];
  const text = (body: object) => JSON.stringify(body, null, 2);
  return {
    '/v1/chat/completions': text({ model, messages }),
    '/v1/messages': text({ model, max_tokens: 1000, messages }),
    '/v1/completions': text({ model: completer, prompt: 'Hello!', max_tokens: 1000 }),
    '/v1/embeddings': text({ model: models.find(isEmbedder) ?? 'text-embedding-3-small', input: 'Hello!' }),
  };
}

/** Returns the JSON object in the text; undefined when there is none. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
