import { objectOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { toMicroUsd } from '../provider-kit/passthrough-and-account-requests.ts';

const CENTS_PER_USD = 100;

/** https://docs.hyperbolic.xyz/docs/rest-api */
export const hyperbolic = createOpenaiCompatible({
  id: 'hyperbolic',
  label: 'Hyperbolic',
  channelType: 1015,
  website: 'https://app.hyperbolic.ai',
  baseUrl: 'https://api.hyperbolic.xyz',
  endpointTypes: ['openai-chat', 'openai-completions'],
  testModel: 'meta-llama/Meta-Llama-3.1-8B-Instruct',
  readBalance: {
    path: () => '/billing/get_current_balance',
    read(body) {
      const micros = toMicroUsd(objectOf(body)['credits']);
      return micros === undefined ? undefined : Math.round(micros / CENTS_PER_USD);
    },
  },
});
