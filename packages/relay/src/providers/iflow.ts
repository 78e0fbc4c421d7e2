import type { UpstreamErrorKind } from '../errors/upstream-error.ts';
import { objectOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** Failure classes by the status in responses of status 200. */
const kinds: ReadonlyMap<unknown, UpstreamErrorKind> = new Map([
  ['434', 'unauthorised'],
  ['435', 'garbled'],
  ['439', 'unauthorised'],
  ['449', 'rate-limited'],
]);

/** https://platform.iflow.cn/docs */
export const iflow = createOpenaiCompatible({
  id: 'iflow',
  label: 'iFlow',
  channelType: 1106,
  website: 'https://platform.iflow.cn',
  baseUrl: 'https://apis.iflow.cn',
  testModel: 'qwen3-coder-plus',
  readError: (_status, body) => kinds.get(objectOf(body)['status']),
});
