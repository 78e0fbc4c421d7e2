import { type UpstreamDialect, wholeAnswer } from '../../../model/format.ts';
import { createStreamDecoder } from './decode-answer.ts';
import { encodeRequest } from './encode-request.ts';

/**
 * Dify's `/chat-messages`, with an app that was put together there. Agents among them answer in streams alone.
 * https://docs.dify.ai/api-reference/chat/send-chat-message
 */
export const difyChat: UpstreamDialect = {
  id: 'dify-chat',
  operation: 'chat',
  readWhole: () => wholeAnswer([]),
  // Its instructions are the user's words already.
  chat: { onlyStreams: true, encodeRequest, createStreamDecoder, systemAsUser: (body) => body },
};
