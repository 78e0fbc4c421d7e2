import { bearerHeader } from '../auth/credentials.ts';
import { toReplicatePath } from '../dialects/images/replicate-images.ts';
import { objectOf, textOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';
import { keepImageListPrice } from '../provider-kit/quirks.ts';

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
  quirks: [
    // https://replicate.com/google/nano-banana-2, https://replicate.com/black-forest-labs/flux-2-pro, "Pricing"
    keepImageListPrice({ resolution: ['1K', '1 MP'], google_search: [false], image_search: [false] }, 'input'),
  ],
  authorize: bearerHeader,
  // Models report moderation only in their messages.
  readError: (status, body) =>
    status === 200 && /nsfw|sensitive|safety/i.test(textOf(objectOf(body)['error']) ?? '') ? 'rejected' : undefined,
};
