import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** The router to its inference providers; a model may name one, `org/name:provider`. https://huggingface.co/docs/inference-providers */
export const huggingface = createOpenaiCompatible({
  id: 'huggingface',
  label: 'Hugging Face',
  channelType: 1008,
  website: 'https://huggingface.co',
  baseUrl: 'https://router.huggingface.co',
  endpointTypes: ['openai-chat', 'openai-responses'],
  testModel: 'openai/gpt-oss-20b',
});
