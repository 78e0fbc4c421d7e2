import type { Quirk } from '../model/provider.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { limitToOneChoice, splitImageSize } from '../provider-kit/shared-vendor-quirks.ts';

/** https://docs.tokenfactory.nebius.com/api-reference/inference/generate */
const limitToOneImage: Quirk = (body, target, dropped, format) =>
  format === 'openai-images' ? limitToOneChoice(body, target, dropped, format) : body;

/** https://docs.tokenfactory.nebius.com/api-reference/introduction */
export const nebius = createOpenaiCompatible({
  id: 'nebius',
  label: 'Nebius Token Factory',
  channelType: 1014,
  website: 'https://tokenfactory.nebius.com',
  baseUrl: 'https://api.tokenfactory.nebius.com',
  endpointTypes: ['openai-chat', 'openai-completions', 'openai-embeddings', 'openai-images'],
  testModel: 'meta-llama/Meta-Llama-3.1-8B-Instruct',
  imageOptions: { free: ['response_extension', 'loras'] },
  quirks: [splitImageSize, limitToOneImage],
});
