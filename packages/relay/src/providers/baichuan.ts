import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { clampField, dropJsonSchema } from '../provider-kit/shared-vendor-quirks.ts';

/** https://platform.baichuan-ai.com/docs/api */
export const baichuan = createOpenaiCompatible({
  id: 'baichuan',
  label: 'Baichuan',
  channelType: 26,
  website: 'https://platform.baichuan-ai.com',
  baseUrl: 'https://api.baichuan-ai.com',
  endpointTypes: ['openai-chat', 'openai-embeddings'],
  listModels: null,
  testModel: 'Baichuan4-Air',
  quirks: [dropJsonSchema, clampField('temperature', 0, 1)],
});
