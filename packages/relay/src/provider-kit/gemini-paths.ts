/** Paths of Gemini's actions, at Google and at gateways with the same paths. */

import { isBatch } from '../dialects/embeddings/gemini-embeddings.ts';
import type { ClientRequest } from '../model/client-request.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Target } from '../model/provider.ts';

/**
 * Returns the path of a model, whose name may be a resource name (`tunedModels/…`). Streams are always requested as
 * events: a JSON array could only be read by counting brackets.
 */
export function contentPath({ model }: Target, { facts }: ClientRequest): string {
  return actionPath(model, facts.stream ? 'streamGenerateContent?alt=sse' : 'generateContent');
}

/** Returns the path for embeddings; requests of other dialects are sent as a batch. */
export function embeddingsPath({ model }: Target, { format, json }: ClientRequest): string {
  const isOne = format === 'gemini-embeddings' && !isBatch(json);
  return actionPath(model, isOne ? 'embedContent' : 'batchEmbedContents');
}

/**
 * Returns the path of an action. Refuses path traversals, which would lead to another model. @throws InvalidRequestError
 */
export function actionPath(model: string, action: string): string {
  const resource = model.includes('/') ? model : `models/${model}`;
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(resource))
    throw new InvalidRequestError('The model name has a path segment that is "." or "..". Use another name.', 'model');
  return `/v1beta/${resource.split('/').map(encodeURIComponent).join('/')}:${action}`;
}
