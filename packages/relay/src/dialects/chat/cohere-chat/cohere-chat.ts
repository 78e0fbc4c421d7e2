import { listOf, objectOf } from '../../../json/json.ts';
import { type UpstreamDialect, wholeAnswer } from '../../../model/format.ts';
import { createStreamDecoder, decodeAnswer } from './decode-answer.ts';
import { encodeRequest } from './encode-request.ts';

/** Cohere's `/v2/chat`. No client speaks it. https://docs.cohere.com/reference/chat */
export const cohereChat: UpstreamDialect = {
  id: 'cohere-chat',
  operation: 'chat',
  readWhole: (answer, lost) => wholeAnswer(decodeAnswer(answer, lost)),
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
