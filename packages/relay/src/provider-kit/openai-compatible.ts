import { bearer } from '../auth/bearer.ts';
import type { Provider } from '../model/provider.ts';
import { openaiModelIds } from './model-list.ts';
import { type Surface, surfacesBelow } from './openai-surfaces.ts';
import { developerIsSystem, maxTokensOnly } from './quirks.ts';

type Name = 'id' | 'label' | 'channelType' | 'website';

/** Description of a vendor that imitates OpenAI's API. */
interface Imitator extends Pick<Provider, Name>, Partial<Omit<Provider, Name | 'listModels'>> {
  /** Prefix of its paths; `/v1` if absent. */
  root?: string;
  /** Chat Completions where absent. */
  surfaces?: readonly Surface[];
  /** Absent: at `/models`. Null: it has no list. */
  listModels?: Provider['listModels'] | null;
}

/**
 * A vendor that imitates OpenAI's API: it signs in with a bearer token, knows the role `system` and `max_tokens`, and
 * has whatever else is said of it.
 */
export function openaiCompatible({
  root = '/v1',
  surfaces = ['openai-chat'],
  speaks,
  quirks = [],
  listModels = { path: () => `${root}/models`, read: openaiModelIds },
  ...own
}: Imitator): Provider {
  return {
    speaks: { ...surfacesBelow(root, surfaces), ...speaks },
    credentials: [{ name: 'key', required: true }],
    options: [],
    authorize: bearer,
    quirks: [developerIsSystem, maxTokensOnly, ...quirks],
    ...(listModels && { listModels }),
    ...own,
  };
}
