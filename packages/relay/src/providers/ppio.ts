import { objectOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://ppio.com/docs/models/reference-llm-create-chat-completion */
export const ppio = createOpenaiCompatible({
  id: 'ppio',
  label: 'PPIO',
  channelType: 1107,
  website: 'https://ppio.com',
  baseUrl: 'https://api.ppio.com',
  root: '/openai/v1',
  endpointTypes: ['openai-chat', 'openai-completions', 'openai-embeddings'],
  testModel: 'deepseek/deepseek-v3-turbo',
  // https://ppio.com/docs/models/reference-error-code
  readError: (_status, body) => (objectOf(body)['reason'] === 'NOT_ENOUGH_BALANCE' ? 'out-of-credit' : undefined),
});
