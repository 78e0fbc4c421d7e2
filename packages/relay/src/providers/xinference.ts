import { openaiEndpointTypes } from '../provider-kit/openai-compatible.ts';
import { createSelfHostedServer } from '../provider-kit/self-hosted-server-restrictions.ts';

/** https://inference.readthedocs.io/en/latest/reference */
export const xinference = createSelfHostedServer({
  id: 'xinference',
  label: 'Xinference',
  channelType: 1028,
  website: 'https://inference.readthedocs.io',
  endpointTypes: ['openai-chat', ...openaiEndpointTypes.filter((surface) => surface !== 'openai-moderation'), 'rerank'],
});
