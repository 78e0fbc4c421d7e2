import type { ClientRequest } from '../client-request.ts';
import { isBatch } from '../formats/gemini-embeddings.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { listOf, objectOf, textOf } from '../json.ts';
import type { Provider, Target } from '../provider.ts';

/**
 * A model's name may be the whole of a resource's (`tunedModels/…`). A stream is always asked for as events: as a list
 * it could be read only by counting brackets.
 */
export function contentPath({ model }: Target, { facts }: ClientRequest): string {
  return actionPath(model, facts.stream ? 'streamGenerateContent?alt=sse' : 'generateContent');
}

/** What another dialect asks for is asked for as a batch. */
export function embeddingsPath({ model }: Target, { format, json }: ClientRequest): string {
  const isOne = format === 'gemini-embeddings' && !isBatch(json);
  return actionPath(model, isOne ? 'embedContent' : 'batchEmbedContents');
}

/** Steps out of the path would lead to another model, or to no model at all. @throws InvalidRequest */
function actionPath(model: string, action: string): string {
  const resource = model.includes('/') ? model : `models/${model}`;
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(resource))
    throw new InvalidRequest('The name of the model cannot be one.', 'model');
  return `/v1beta/${resource.split('/').map(encodeURIComponent).join('/')}:${action}`;
}

/** What a model can be used for here. */
const methods: ReadonlySet<unknown> = new Set(['generateContent', 'embedContent']);

/** https://ai.google.dev/api */
export const gemini: Provider = {
  id: 'gemini',
  label: 'Google Gemini',
  channelType: 25,
  website: 'https://aistudio.google.com',
  baseUrl: 'https://generativelanguage.googleapis.com',
  // Google's own OpenAI dialect loses more than the translation does.
  speaks: {
    chat: [{ format: 'gemini', path: contentPath }],
    embeddings: [{ format: 'gemini-embeddings', path: embeddingsPath }],
  },
  countsTokens: { gemini: ({ model }) => actionPath(model, 'countTokens') },
  credentials: [{ name: 'key', required: true, placeholder: 'AIza…' }],
  options: [],
  testModel: 'gemini-2.5-flash',
  authorize: ({ credentials }) => ({ 'x-goog-api-key': credentials['key'] ?? '' }),
  listModels: {
    path: () => '/v1beta/models?pageSize=1000',
    read: (body) =>
      listOf(objectOf(body)['models'])
        .map(objectOf)
        .filter((model) => listOf(model['supportedGenerationMethods']).some((method) => methods.has(method)))
        .flatMap((model) => textOf(model['name'])?.replace(/^models\//, '') ?? []),
  },
};
