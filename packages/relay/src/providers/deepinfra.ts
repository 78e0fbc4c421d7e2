import { createOpenaiCompatible, openaiEndpointTypes } from '../provider-kit/openai-compatible.ts';

/** https://deepinfra.com/docs/openai_api */
export const deepinfra = createOpenaiCompatible({
  id: 'deepinfra',
  label: 'DeepInfra',
  channelType: 1007,
  website: 'https://deepinfra.com',
  baseUrl: 'https://api.deepinfra.com',
  root: '/v1/openai',
  endpointTypes: ['openai-chat', ...openaiEndpointTypes.filter((surface) => surface !== 'openai-moderation')],
  testModel: 'meta-llama/Meta-Llama-3.1-8B-Instruct',
});
