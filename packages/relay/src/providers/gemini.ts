import { actionPath, contentPath, embeddingsPath } from '../gemini-paths.ts';
import { listOf, objectOf, textOf } from '../json.ts';
import type { Provider } from '../provider.ts';

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
