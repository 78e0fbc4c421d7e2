import { objectOf, textOf } from '../json/json.ts';
import type { Quirk } from '../model/provider.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** Adds the input type, which the retrieval models require because they process queries and passages differently. */
const addInputType: Quirk = (body) =>
  body['input'] === undefined || body['input_type'] !== undefined ? body : { ...body, input_type: 'passage' };

/** https://docs.api.nvidia.com/nim/reference/llm-apis */
export const nvidia = createOpenaiCompatible({
  id: 'nvidia',
  label: 'NVIDIA NIM',
  channelType: 1006,
  website: 'https://build.nvidia.com',
  baseUrl: 'https://integrate.api.nvidia.com',
  endpointTypes: ['openai-chat', 'openai-completions', 'openai-embeddings'],
  testModel: 'meta/llama-3.1-8b-instruct',
  quirks: [addInputType],
  readError(status, body) {
    const words = textOf(objectOf(body)['detail']) ?? '';
    // The account may not use this model.
    if (status === 404 && words.startsWith('Function ')) return 'garbled';
    return /^Account .*credits/.test(words) ? 'out-of-credit' : undefined;
  },
});
