import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://developer.qiniu.com/aitokenapi/12882/ai-inference-api */
export const qiniu = createOpenaiCompatible({
  id: 'qiniu',
  label: 'Qiniu Cloud',
  channelType: 1110,
  website: 'https://portal.qiniu.com/ai-inference/model',
  baseUrl: 'https://api.qnaigc.com',
  endpointTypes: ['openai-chat', 'anthropic-messages'],
  testModel: 'deepseek-v3',
});
