import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://internlm.intern-ai.org.cn/api/document */
export const internlm = createOpenaiCompatible({
  id: 'internlm',
  label: 'InternLM',
  channelType: 1111,
  website: 'https://internlm.intern-ai.org.cn',
  baseUrl: 'https://chat.intern-ai.org.cn',
  root: '/api/v1',
  testModel: 'intern-latest',
});
