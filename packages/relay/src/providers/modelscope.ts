import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://www.modelscope.cn/docs/model-service/API-Inference/intro */
export const modelscope = createOpenaiCompatible({
  id: 'modelscope',
  label: 'ModelScope',
  channelType: 1104,
  website: 'https://www.modelscope.cn/my/myaccesstoken',
  baseUrl: 'https://api-inference.modelscope.cn',
  endpointTypes: ['openai-chat', 'anthropic-messages'],
  testModel: 'Qwen/Qwen3-8B',
});
