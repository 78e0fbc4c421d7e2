import { bearerHeader } from '../auth/upstream-credentials.ts';
import type { UpstreamErrorKind } from '../errors/upstream-error.ts';
import { numberOf, objectOf, textOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';

/** Failure classes by error code: https://docs.dify.ai/api-reference/chat/send-chat-message, "Errors". */
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

/** Dify's cloud, or a self-hosted server. The key identifies the app, so that any model name works. */
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
  // An error event contains the status that the response would have had.
  readError: (_status, body) =>
    kinds.get(textOf(objectOf(body)['code']) ?? '') ?? kindsByStatus.get(numberOf(objectOf(body)['status']) ?? 0),
};
