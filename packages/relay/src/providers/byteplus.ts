import { createArkProvider } from '../provider-kit/volcengine-ark.ts';

/** https://docs.byteplus.com/en/docs/ModelArk/1494384 */
export const byteplus = createArkProvider({
  id: 'byteplus',
  label: 'BytePlus ModelArk',
  channelType: 1102,
  website: 'https://console.byteplus.com/ark',
  baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
  testModel: 'seed-1-6-flash-250715',
});
