import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://platform.lingyiwanwu.com/docs/api-reference */
export const lingyi = createOpenaiCompatible({
  id: 'lingyi',
  label: '01.AI (Yi)',
  channelType: 33,
  website: 'https://platform.lingyiwanwu.com',
  baseUrl: 'https://api.lingyiwanwu.com',
  testModel: 'yi-lightning',
});
