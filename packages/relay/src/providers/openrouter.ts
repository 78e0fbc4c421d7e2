import { numberOf, objectOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { toMicroUsd } from '../provider-kit/passthrough-and-account-requests.ts';

/** https://openrouter.ai/docs/api-reference */
export const openrouter = createOpenaiCompatible({
  id: 'openrouter',
  label: 'OpenRouter',
  channelType: 20,
  website: 'https://openrouter.ai',
  baseUrl: 'https://openrouter.ai/api',
  endpointTypes: [
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'openai-completions',
    'openai-embeddings',
    'rerank',
  ],
  testModel: 'openai/gpt-4o-mini',
  readBalance: {
    path: () => '/v1/credits',
    read(body) {
      const { total_credits: bought, total_usage: used } = objectOf(objectOf(body)['data']);
      const [all, gone] = [numberOf(bought), numberOf(used)];
      return all === undefined || gone === undefined ? undefined : toMicroUsd(all - gone);
    },
  },
});
