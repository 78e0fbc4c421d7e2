import { bearerHeader } from '../auth/credentials.ts';
import { toReplicatePath } from '../dialects/images/replicate-images.ts';
import { objectOf, textOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';

/** https://replicate.com/docs/reference/http */
export const replicate: Provider = {
  id: 'replicate',
  label: 'Replicate',
  channelType: 52,
  website: 'https://replicate.com/account',
  baseUrl: 'https://api.replicate.com',
  endpoints: { images: [{ format: 'replicate-images', path: ({ model }) => toReplicatePath(model) }] },
  credentials: [{ name: 'key', required: true, placeholder: 'r8_…' }],
  options: [],
  testModel: 'black-forest-labs/flux-schnell',
  headers: { prefer: 'wait' },
  authorize: bearerHeader,
  // Models report moderation only in their messages.
  readError: (status, body) =>
    status === 200 && /nsfw|sensitive|safety/i.test(textOf(objectOf(body)['error']) ?? '') ? 'rejected' : undefined,
};
