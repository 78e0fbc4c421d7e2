import { listOf, objectOf } from '../../../json/json.ts';
import { toNonStreamingResponse, type UpstreamDialect } from '../../../model/dialect.ts';
import { createStreamDecoder, decodeResponse } from './decode-response.ts';
import { encodeRequest } from './encode-request.ts';

/** Cohere's `/v2/chat`; upstream only. https://docs.cohere.com/reference/chat */
export const cohereChat: UpstreamDialect = {
  id: 'cohere-chat',
  operation: 'chat',
  readNonStreaming: (answer, lost) => toNonStreamingResponse(decodeResponse(answer, lost)),
  chat: {
    encodeRequest,
    createStreamDecoder,
    systemAsUser: (body) => ({
      ...body,
      messages: listOf(body['messages'])
        .map(objectOf)
        .map((message) => (message['role'] === 'system' ? { ...message, role: 'user' } : message)),
    }),
  },
};
