/** Shared parts of Volcengine in China and BytePlus abroad. */
import { effortBudgets, efforts } from '../dialects/chat/reasoning-effort.ts';
import { createErrorCodeReader } from '../errors/read-upstream-error.ts';
import { type JsonObject, objectOf } from '../json/json.ts';
import type { Provider } from '../model/provider.ts';
import { createApiOption, createChatEndpoints, createEndpoints, createOpenaiCompatible } from './openai-compatible.ts';
import { disableThinkingWithoutEffort } from './shared-vendor-quirks.ts';

type Name = 'id' | 'label' | 'channelType' | 'website' | 'baseUrl' | 'testModel';

/** `max_tokens` does not limit the chain of thought. https://www.volcengine.com/docs/82379/1494384 */
function countExtraReasoning({ thinking, reasoning_effort: effort }: JsonObject): number {
  const { type } = objectOf(thinking);
  if (type === 'disabled') return 0;
  const known = efforts.find((one) => one === effort);
  if (known !== undefined) return effortBudgets[known];
  return type === 'enabled' || type === 'auto' ? effortBudgets.medium : 0;
}

/** Creates the provider. A model may be an endpoint id, `ep-…`; not all models support Responses. */
export function createArkProvider(own: Required<Pick<Provider, Name>>): Provider {
  return createOpenaiCompatible({
    root: '',
    endpoints: {
      ...createEndpoints('', ['openai-embeddings', 'openai-images']),
      chat: createChatEndpoints('/chat/completions', '/responses', 'chat'),
      videos: [{ format: 'ark-videos', path: '/contents/generations/tasks' }],
    },
    options: [createApiOption('chat')],
    // A search (`tools`) is billed by the call. https://www.volcengine.com/docs/82379/1541523
    imageOptions: {
      free: ['sequential_image_generation', 'sequential_image_generation_options', 'optimize_prompt_options'],
    },
    // https://www.volcengine.com/docs/82379/1449737
    quirks: [disableThinkingWithoutEffort],
    countExtraReasoning,
    listModels: null,
    readError: createErrorCodeReader({
      AccountOverdueError: 'out-of-credit',
      'OperationDenied.ServiceOverdue': 'out-of-credit',
      'OperationDenied.ServiceNotOpen': 'garbled',
      ServerOverloaded: 'overloaded',
      ModelNotOpen: 'garbled',
      'InvalidEndpointOrModel.NotFound': 'garbled',
      SensitiveContentDetected: 'rejected',
    }),
    ...own,
  });
}
