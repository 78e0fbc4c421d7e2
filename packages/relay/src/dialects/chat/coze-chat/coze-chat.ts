import { type UpstreamDialect, wholeAnswer } from '../../../model/format.ts';
import { createStreamDecoder } from './decode-answer.ts';
import { encodeRequest } from './encode-request.ts';

/**
 * Coze's `/v3/chat`, with an agent that was put together there. Whole answers would have to be asked for again and
 * again, so that all are streams. https://www.coze.com/docs/developer_guides/chat_v3
 */
export const cozeChat: UpstreamDialect = {
  id: 'coze-chat',
  operation: 'chat',
  readWhole: () => wholeAnswer([]),
  // Its instructions are the user's words already.
  chat: { onlyStreams: true, encodeRequest, createStreamDecoder, systemAsUser: (body) => body },
};
