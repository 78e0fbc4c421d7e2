import { objectOf, textOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields, forModels } from '../provider-kit/shared-vendor-quirks.ts';

/** "presencePenalty, frequencyPenalty and stop … in the request would result in an error." */
const reasoning = /^grok-(?:3-mini|[4-9]|code)(?!.*non-reasoning)/;

/** https://docs.x.ai/docs/api-reference */
export const xai = createOpenaiCompatible({
  id: 'xai',
  label: 'xAI',
  channelType: 56,
  website: 'https://console.x.ai',
  baseUrl: 'https://api.x.ai',
  endpointTypes: ['openai-chat', 'openai-responses', 'openai-images'],
  endpoints: { videos: [{ format: 'xai-videos', path: '/v1/videos/generations' }] },
  testModel: 'grok-3-mini',
  quirks: [
    forModels(reasoning, dropFields('presence_penalty', 'frequency_penalty', 'stop')),
    // https://docs.x.ai/docs/guides/image-generations
    dropFields('size', 'style'),
    // The quality determines the price of Grok Imagine 2; the other models have none.
    forModels(/^(?!grok-imagine-image-2)/, dropFields('quality')),
  ],
  // https://docs.x.ai/developers/model-capabilities/images/generation
  imageOptions: { listPriceValues: { resolution: ['1k'] } },
  readError(_status, body) {
    const words = textOf(objectOf(body)['error']) ?? '';
    return /^Your (?:newly created )?team .*(?:credits|spending limit)/.test(words) ? 'out-of-credit' : undefined;
  },
});
