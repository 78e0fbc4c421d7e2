import { createOpenaiCompatible, openaiEndpointTypes } from '../provider-kit/openai-compatible.ts';

/** https://inference.readthedocs.io/en/latest/reference */
export const xinference = createOpenaiCompatible({
  id: 'xinference',
  label: 'Xinference',
  channelType: 1028,
  website: 'https://inference.readthedocs.io',
  endpointTypes: ['openai-chat', ...openaiEndpointTypes.filter((surface) => surface !== 'openai-moderation'), 'rerank'],
  credentials: [{ name: 'key', required: false }],
  imageOptions: null,
});
