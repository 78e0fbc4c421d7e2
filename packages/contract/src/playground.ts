import { z } from 'zod';
import { routes } from './route.ts';

/**
 * Where the playground sends an OpenAI chat request. Not in the envelope: the answer is the relay's own, streamed.
 * It is billed to the signed-in user; no key reaches the browser.
 */
export const PLAYGROUND_CHAT_PATH = '/api/playground/chat/completions';

export const playground = routes({
  record: {
    method: 'GET',
    path: '/api/playground/cost/:request_id',
    access: 'user',
    summary: 'What an answer cost, by the `x-request-id` of its response; null while it is not settled',
    params: z.object({ request_id: z.string().max(64) }),
    answer: z
      .object({
        quota: z.int(),
        prompt_tokens: z.int(),
        completion_tokens: z.int(),
        request_time: z.int(),
        first_byte_time: z.int(),
      })
      .nullable(),
  },
});
