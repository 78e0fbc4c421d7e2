import type { Quirk } from '../model/provider.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields, forModels } from '../provider-kit/shared-vendor-quirks.ts';
import { batchesOption } from '../provider-kit/vendor-batches.ts';

/** Maps the effort for Qwen, which only has a switch. https://console.groq.com/docs/reasoning */
const mapEffort: Quirk = (body) => {
  const { reasoning_effort: effort } = body;
  return effort === undefined || effort === 'none' ? body : { ...body, reasoning_effort: 'default' };
};

/** https://console.groq.com/docs/api-reference, unsupported fields: https://console.groq.com/docs/openai */
export const groq = createOpenaiCompatible({
  id: 'groq',
  label: 'Groq',
  channelType: 31,
  website: 'https://console.groq.com',
  baseUrl: 'https://api.groq.com/openai',
  endpointTypes: ['openai-chat', 'openai-responses', 'openai-transcription', 'openai-translation', 'openai-speech'],
  testModel: 'llama-3.1-8b-instant',
  // https://console.groq.com/docs/batch
  batchBaseUrl: '/v1',
  options: [batchesOption],
  quirks: [dropFields('logprobs', 'top_logprobs', 'logit_bias'), forModels(/qwen/, mapEffort)],
});
