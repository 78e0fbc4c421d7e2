import { listOf, objectOf, textOf } from '../json/json.ts';
import { createEndpoints, createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

const { chat = [], ...others } = createEndpoints('/serving-endpoints', [
  'openai-chat',
  'openai-completions',
  'openai-embeddings',
]);

/**
 * Foundation models and external models of a workspace, by the name of their serving endpoint. Anthropic's also
 * support their own dialect. https://docs.databricks.com/machine-learning/model-serving/score-foundation-models
 */
export const databricks = createOpenaiCompatible({
  id: 'databricks',
  label: 'Databricks',
  channelType: 54,
  website: 'https://www.databricks.com',
  endpoints: {
    ...others,
    chat: [
      ...chat,
      {
        format: 'anthropic-messages',
        path: '/serving-endpoints/anthropic/v1/messages',
        serves: ({ model }) => model.includes('claude'),
      },
    ],
  },
  testModel: 'databricks-meta-llama-3-3-70b-instruct',
  listModels: {
    path: () => '/api/2.0/serving-endpoints',
    read: (body) => listOf(objectOf(body)['endpoints']).flatMap((endpoint) => textOf(objectOf(endpoint)['name']) ?? []),
  },
});
