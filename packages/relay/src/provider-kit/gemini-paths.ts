/** Paths of Gemini's actions, at Google and behind gateways that keep its paths. */

import { isBatch } from '../dialects/embeddings/gemini-embeddings.ts';
import type { ClientRequest } from '../model/client-request.ts';
import { InvalidRequest } from '../model/invalid-request.ts';
import type { Target } from '../model/provider.ts';

/**
 * A model's name may be the whole of a resource's (`tunedModels/…`). A stream is always asked for as events: as a list
 * it could be read only by counting brackets.
 */
export function contentPath({ model }: Target, { facts }: ClientRequest): string {
  return actionPath(model, facts.stream ? 'streamGenerateContent?alt=sse' : 'generateContent');
}

/** Returns the path for embeddings; requests of other dialects are sent as a batch. */
export function embeddingsPath({ model }: Target, { format, json }: ClientRequest): string {
  const isOne = format === 'gemini-embeddings' && !isBatch(json);
  return actionPath(model, isOne ? 'embedContent' : 'batchEmbedContents');
}

/** Steps out of the path would lead to another model, or to no model at all. @throws InvalidRequest */
export function actionPath(model: string, action: string): string {
  const resource = model.includes('/') ? model : `models/${model}`;
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(resource)) throw new InvalidRequest('The model name is invalid.', 'model');
  return `/v1beta/${resource.split('/').map(encodeURIComponent).join('/')}:${action}`;
}
