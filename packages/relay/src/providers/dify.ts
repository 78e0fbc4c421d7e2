import { bearerHeader } from '../auth/credentials.ts';
import type { UpstreamErrorKind } from '../errors/upstream-error.ts';
import { numberOf, objectOf, textOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';

/** https://docs.dify.ai/api-reference/chat/send-chat-message, "Errors". */
const kinds: ReadonlyMap<string, UpstreamErrorKind> = new Map([
  ['provider_quota_exceeded', 'out-of-credit'],
  ['provider_not_initialize', 'unauthorised'],
  ['completion_request_error', 'overloaded'],
  ['app_unavailable', 'garbled'],
  ['unauthorized', 'unauthorised'],
]);
const kindsByStatus: ReadonlyMap<number, UpstreamErrorKind> = new Map([
  [400, 'rejected'],
  [401, 'unauthorised'],
  [404, 'rejected'],
  [413, 'rejected'],
  [429, 'rate-limited'],
]);

/** There, or on a server of one's own. The key names the app, so that the model's name is free. */
export const dify: Provider = {
  id: 'dify',
  label: 'Dify',
  channelType: 1206,
  website: 'https://cloud.dify.ai',
  baseUrl: 'https://api.dify.ai',
  endpoints: { chat: [{ format: 'dify-chat', path: '/v1/chat-messages' }] },
  credentials: [{ name: 'key', required: true, placeholder: 'app-…' }],
  options: [],
  authorize: bearerHeader,
  // An event of a stream tells the status that it would have had.
  readError: (_status, body) =>
    kinds.get(textOf(objectOf(body)['code']) ?? '') ?? kindsByStatus.get(numberOf(objectOf(body)['status']) ?? 0),
};
