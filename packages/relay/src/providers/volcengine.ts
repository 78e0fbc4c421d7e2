import { createArkProvider } from '../provider-kit/volcengine-ark.ts';

/** https://www.volcengine.com/docs/82379/1494384, codes: https://www.volcengine.com/docs/82379/1299023 */
export const volcengine = createArkProvider({
  id: 'volcengine',
  label: 'Volcengine Ark (Doubao)',
  channelType: 1101,
  website: 'https://console.volcengine.com/ark',
  baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
  testModel: 'doubao-seed-1-6-flash-250828',
});
