import { bearerHeader } from '../auth/credentials.ts';
import type { Provider } from '../model/provider.ts';
import { readOpenaiModelIds } from './account-requests.ts';
import { createEndpoints, type EndpointType } from './openai-endpoints.ts';
import { renameDeveloperRole, renameTokenCap } from './quirks.ts';

type Name = 'id' | 'label' | 'channelType' | 'website';

/** Description of an OpenAI-compatible vendor. */
interface CompatibleVendor extends Pick<Provider, Name>, Partial<Omit<Provider, Name | 'listModels'>> {
  /** Prefix of its paths; absent: `/v1`. */
  root?: string;
  /** Absent: Chat Completions. */
  endpointTypes?: readonly EndpointType[];
  /** Absent: at `/models`. Null: no list. */
  listModels?: Provider['listModels'] | null;
}

/**
 * Creates a provider of an OpenAI-compatible vendor, by default with a bearer token, the role `system` and
 * `max_tokens`.
 */
export function createOpenaiCompatible({
  root = '/v1',
  endpointTypes = ['openai-chat'],
  endpoints,
  quirks = [],
  listModels = { path: () => `${root}/models`, read: readOpenaiModelIds },
  ...own
}: CompatibleVendor): Provider {
  return {
    endpoints: { ...createEndpoints(root, endpointTypes), ...endpoints },
    credentials: [{ name: 'key', required: true }],
    options: [],
    authorize: bearerHeader,
    quirks: [renameDeveloperRole, renameTokenCap, ...quirks],
    ...(listModels && { listModels }),
    ...own,
  };
}
