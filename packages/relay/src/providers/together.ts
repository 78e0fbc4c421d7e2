import type { Quirk } from '../model/provider.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { splitImageSize } from '../provider-kit/shared-vendor-quirks.ts';

/** Renames the inline delivery of images, which OpenAI calls `b64_json`. */
const renameBase64Delivery: Quirk = (body) =>
  body['response_format'] === 'b64_json' ? { ...body, response_format: 'base64' } : body;

/** https://docs.together.ai/reference */
export const together = createOpenaiCompatible({
  id: 'together',
  label: 'Together AI',
  channelType: 1002,
  website: 'https://api.together.ai',
  baseUrl: 'https://api.together.ai',
  endpointTypes: [
    'openai-chat',
    'openai-completions',
    'openai-embeddings',
    'openai-images',
    'openai-speech',
    'openai-transcription',
    'openai-translation',
    'rerank',
  ],
  testModel: 'openai/gpt-oss-20b',
  quirks: [splitImageSize, renameBase64Delivery],
  imageOptions: {
    free: ['image_url', 'reference_images', 'condition_image', 'image_loras', 'disable_safety_checker'],
    // Billed in proportion above the model's default, which is at least 4. https://www.together.ai/pricing
    listPriceValues: { steps: [1, 2, 3, 4] },
  },
  // The prompt exceeds the model's context. https://docs.together.ai/docs/error-codes
  readError: (status) => (status === 403 ? 'rejected' : undefined),
});
