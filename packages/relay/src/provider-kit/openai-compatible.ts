import { bearerHeader } from '../auth/credentials.ts';
import type { Provider } from '../model/provider.ts';
import { readOpenaiModelIds } from './model-list.ts';
import { createEndpoints, type EndpointType } from './openai-endpoint-types.ts';
import { renameDeveloperRole, renameTokenCap } from './quirks.ts';

type Name = 'id' | 'label' | 'channelType' | 'website';

/** Description of a vendor that imitates OpenAI's API. */
interface CompatibleVendor extends Pick<Provider, Name>, Partial<Omit<Provider, Name | 'listModels'>> {
  /** Prefix of its paths; `/v1` if absent. */
  root?: string;
  /** Chat Completions where absent. */
  endpointTypes?: readonly EndpointType[];
  /** Absent: at `/models`. Null: it has no list. */
  listModels?: Provider['listModels'] | null;
}

/**
 * A vendor that imitates OpenAI's API: it signs in with a bearer token, knows the role `system` and `max_tokens`, and
 * has whatever else is said of it.
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
