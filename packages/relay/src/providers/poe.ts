import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://creator.poe.com/api-reference */
export const poe = createOpenaiCompatible({
  id: 'poe',
  label: 'Poe',
  channelType: 1021,
  website: 'https://poe.com/api',
  baseUrl: 'https://api.poe.com',
  endpointTypes: ['openai-chat', 'openai-responses'],
  testModel: 'GPT-4o-mini',
});
