import { bearerHeader } from '../auth/upstream-credentials.ts';
import { listOf, objectOf, textOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';

/** Endpoints of a model that this gateway supports. https://docs.cohere.com/reference/list-models */
const uses: ReadonlySet<unknown> = new Set(['chat', 'embed', 'rerank']);

/** https://docs.cohere.com/reference/about */
export const cohere: Provider = {
  id: 'cohere',
  label: 'Cohere',
  channelType: 36,
  website: 'https://dashboard.cohere.com',
  baseUrl: 'https://api.cohere.com',
  // Cohere's own OpenAI dialect reports neither citations nor billed units.
  endpoints: {
    chat: [{ format: 'cohere-chat', path: '/v2/chat' }],
    embeddings: [{ format: 'cohere-embeddings', path: '/v2/embed' }],
    rerank: [{ format: 'cohere-rerank', path: '/v2/rerank' }],
  },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'command-r7b-12-2024',
  authorize: bearerHeader,
  readError(status, body) {
    const message = textOf(objectOf(body)['message']) ?? '';
    // A trial key's monthly calls are exhausted, so that waiting for a minute would not help.
    return status === 429 && /calls \/ month|monthly/i.test(message) ? 'out-of-credit' : undefined;
  },
  listModels: {
    path: () => '/v1/models?page_size=1000',
    read: (body) =>
      listOf(objectOf(body)['models'])
        .map(objectOf)
        .filter(({ endpoints }) => listOf(endpoints).some((use) => uses.has(use)))
        .flatMap(({ name }) => textOf(name) ?? []),
  },
};
