import { objectOf } from '../json/json.ts';
import { createEndpoints, createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { toMicroUsd } from '../provider-kit/passthrough-and-account-requests.ts';

const { chat = [], ...others } = createEndpoints('/openai/v1', [
  'openai-chat',
  'openai-completions',
  'openai-embeddings',
  'rerank',
]);

/** Ten-thousandths of a USD. */
const UNITS_PER_USD = 10_000;

/** https://novita.ai/docs/api-reference */
export const novita = createOpenaiCompatible({
  id: 'novita',
  label: 'Novita AI',
  channelType: 1013,
  website: 'https://novita.ai',
  baseUrl: 'https://api.novita.ai',
  root: '/openai/v1',
  endpoints: { ...others, chat: [...chat, { format: 'anthropic-messages', path: '/anthropic/v1/messages' }] },
  testModel: 'meta-llama/llama-3.1-8b-instruct',
  // https://novita.ai/docs/api-reference/basic-error-code
  readError: (_status, body) => (objectOf(body)['reason'] === 'NOT_ENOUGH_BALANCE' ? 'out-of-credit' : undefined),
  readBalance: {
    path: () => '/openapi/v1/billing/balance/detail',
    read(body) {
      const micros = toMicroUsd(objectOf(body)['availableBalance']);
      return micros === undefined ? undefined : Math.round(micros / UNITS_PER_USD);
    },
  },
});
