/** Shared parts of Volcengine in China and BytePlus abroad. */
import { errorCodes } from '../errors/error-codes.ts';
import type { Provider } from '../model/provider.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { apiOption, chatEndpoints } from './openai-endpoints.ts';
import { surfacesBelow } from './openai-surfaces.ts';
import { noEffortIsOff } from './quirks.ts';

type Name = 'id' | 'label' | 'channelType' | 'website' | 'baseUrl' | 'testModel';

/** A model may be the id of an endpoint, `ep-…`; not all models have Responses. */
export function arkPlatform(own: Required<Pick<Provider, Name>>): Provider {
  return openaiCompatible({
    root: '',
    speaks: {
      ...surfacesBelow('', ['openai-embeddings', 'openai-images']),
      chat: chatEndpoints('/chat/completions', '/responses', 'chat'),
      videos: [{ format: 'ark-videos', path: '/contents/generations/tasks' }],
    },
    options: [apiOption('chat')],
    // https://www.volcengine.com/docs/82379/1449737
    quirks: [noEffortIsOff],
    listModels: null,
    readError: errorCodes({
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
