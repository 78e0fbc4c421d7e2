import { listOf, objectOf, textOf } from '../json/json.ts';
import type { Provider, Quirk } from '../model/provider.ts';
import { createSwitchOption } from '../provider-kit/channel-options.ts';
import { createOperatorDataCheck } from '../provider-kit/operator-data-references.ts';
import { geminiActionPath, geminiContentPath, geminiEmbeddingsPath } from '../provider-kit/upstream-paths.ts';
import { readTools } from '../tokens/external-content-and-tools.ts';

/** Methods of a model that this gateway supports. */
const methods: ReadonlySet<unknown> = new Set(['generateContent', 'embedContent', 'predictLongRunning']);

/**
 * Adds code execution if the operator allows it. Not every model accepts it beside other tools, or with a JSON, image
 * or audio response; no request with cached tools does. https://ai.google.dev/gemini-api/docs/code-execution,
 * https://ai.google.dev/api/caching
 */
const enableCodeExecution: Quirk = (body, { options }, _dropped, format) => {
  if (options['codeExecution'] !== 'on' || format !== 'gemini') return body;
  const config = objectOf(body['generationConfig'] ?? body['generation_config']);
  const type = config['responseMimeType'] ?? config['response_mime_type'] ?? 'text/plain';
  const kinds = listOf(config['responseModalities'] ?? config['response_modalities']);
  const isText = type === 'text/plain' && kinds.every((kind) => kind === 'TEXT');
  const isCached = (body['cachedContent'] ?? body['cached_content'] ?? '') !== '';
  const mayRun = isText && !isCached && readTools(body).length === 0;
  return mayRun ? { ...body, tools: [{ codeExecution: {} }] } : body;
};

/** https://ai.google.dev/api */
export const gemini: Provider = {
  id: 'gemini',
  label: 'Google Gemini',
  channelType: 25,
  website: 'https://aistudio.google.com',
  baseUrl: 'https://generativelanguage.googleapis.com',
  // Google's own OpenAI dialect loses more than the gateway's translation.
  endpoints: {
    chat: [{ format: 'gemini', path: geminiContentPath }],
    embeddings: [{ format: 'gemini-embeddings', path: geminiEmbeddingsPath }],
    videos: [{ format: 'veo-videos', path: ({ model }) => geminiActionPath(model, 'predictLongRunning') }],
  },
  tokenCountEndpoints: { gemini: ({ model }) => geminiActionPath(model, 'countTokens') },
  credentials: [{ name: 'key', required: true, placeholder: 'AIza…' }],
  options: [createSwitchOption('codeExecution')],
  testModel: 'gemini-2.5-flash',
  authorize: ({ credentials }) => ({ 'x-goog-api-key': credentials['key'] ?? '' }),
  quirks: [enableCodeExecution],
  findOperatorData: createOperatorDataCheck('tools.retrieval'),
  listModels: {
    path: () => '/v1beta/models?pageSize=1000',
    read: (body) =>
      listOf(objectOf(body)['models'])
        .map(objectOf)
        .filter((model) => listOf(model['supportedGenerationMethods']).some((method) => methods.has(method)))
        .flatMap((model) => textOf(model['name'])?.replace(/^models\//, '') ?? []),
  },
};
