import { bearerHeader } from '../auth/upstream-credentials.ts';
import { toReplicatePath } from '../dialects/images/replicate-images.ts';
import { objectOf, textOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';
import { keepImageListPrice } from '../provider-kit/keep-image-list-price.ts';

/** Inputs that cost nothing at any model. Steps do at models that are billed by the second. */
const free = [
  'num_outputs',
  'go_fast',
  'output_quality',
  'disable_safety_checker',
  'safety_tolerance',
  'safety_filter_level',
  'prompt_upsampling',
  'prompt_strength',
  'magic_prompt_option',
  'style_type',
  'image_input',
  'input_image',
  'input_images',
  'image_prompt',
  'image_prompt_strength',
  'lora_weights',
  'lora_scale',
  'extra_lora',
  'extra_lora_scale',
  'raw',
];
const listPriceValues = {
  resolution: ['1K', '1 MP'],
  megapixels: ['0.25', '1'],
  google_search: [false],
  image_search: [false],
};

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
    keepImageListPrice({ free, listPriceValues }, 'input'),
  ],
  authorize: bearerHeader,
  // Models report moderation only in their messages.
  readError: (status, body) =>
    status === 200 && /nsfw|sensitive|safety/i.test(textOf(objectOf(body)['error']) ?? '') ? 'rejected' : undefined,
  // Runs are billed by their time, whatever their end: https://replicate.com/docs/topics/billing
  getRefusalBilling: (status) => (status === 200 ? 'fee' : undefined),
};
