import { objectOf, textOf } from '../json/json.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Provider, Target } from '../model/provider.ts';
import { keepImageListPrice } from '../provider-kit/keep-image-list-price.ts';

/**
 * Returns the path of a model, whose name is one: `fal-ai/flux/dev`. Path traversals would lead to another address.
 */
function appPath({ model }: Target): string {
  const steps = model.split('/');
  if (steps.some((step) => /^\.{0,2}$/.test(step)))
    throw new InvalidRequestError(
      'The model name has a path segment that is empty, "." or "..". Use another name.',
      'model',
    );
  return `/${steps.map(encodeURIComponent).join('/')}`;
}

/**
 * Inputs that cost nothing at any model. Others do: a speed (Ideogram), a resolution or a search (Nano Banana), steps
 * (models that are billed by the second).
 * https://fal.ai/models/fal-ai/ideogram/v3/llms.txt, https://fal.ai/models/fal-ai/nano-banana-2/edit/llms.txt,
 * https://fal.ai/docs/documentation/model-apis/pricing
 */
const free = [
  'num_images',
  'image_size',
  'sync_mode',
  'image_url',
  'image_urls',
  'mask_url',
  'strength',
  'image_prompt_strength',
  'loras',
  'safety_tolerance',
  'enable_safety_checker',
  'raw',
  'enhance_prompt',
  'expand_prompt',
  'enable_prompt_expansion',
  'acceleration',
  'color_palette',
  'style_codes',
  'limit_generations',
  'system_prompt',
];

/** The response waits for the image. https://docs.fal.ai/model-endpoints/synchronous-requests */
export const fal: Provider = {
  id: 'fal',
  label: 'fal',
  channelType: 1205,
  website: 'https://fal.ai/dashboard',
  baseUrl: 'https://fal.run',
  endpoints: { images: [{ format: 'fal-images', path: appPath }] },
  credentials: [{ name: 'key', required: true }],
  options: [],
  testModel: 'fal-ai/flux/schnell',
  quirks: [keepImageListPrice({ free, listPriceValues: { resolution: ['1K'], enable_web_search: [false] } })],
  authorize: ({ credentials }) => ({ authorization: `Key ${credentials['key'] ?? ''}` }),
  readError: (status, body) =>
    status === 403 && /exhausted balance/i.test(textOf(objectOf(body)['detail']) ?? '') ? 'out-of-credit' : undefined,
};
