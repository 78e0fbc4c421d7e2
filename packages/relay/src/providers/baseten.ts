import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** Baseten's shared models. https://docs.baseten.co/development/model-apis/overview */
export const baseten = createOpenaiCompatible({
  id: 'baseten',
  label: 'Baseten',
  channelType: 1016,
  website: 'https://app.baseten.co',
  baseUrl: 'https://inference.baseten.co',
  testModel: 'openai/gpt-oss-120b',
});
