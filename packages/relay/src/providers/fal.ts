import { objectOf, textOf } from '../json/json.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Provider, Target } from '../model/provider.ts';
import { keepImageListPrice } from '../provider-kit/quirks.ts';

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
  // https://fal.ai/models/fal-ai/nano-banana-2/edit/llms.txt, "Pricing"
  quirks: [keepImageListPrice({ resolution: ['1K'], enable_web_search: [false], thinking_level: [] })],
  authorize: ({ credentials }) => ({ authorization: `Key ${credentials['key'] ?? ''}` }),
  readError: (status, body) =>
    status === 403 && /exhausted balance/i.test(textOf(objectOf(body)['detail']) ?? '') ? 'out-of-credit' : undefined,
};
