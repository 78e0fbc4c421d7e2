import { z } from 'zod';
import { seconds } from '../accounts/account.ts';
import { conversationId } from '../ids.ts';
import { listQuery, nothing, paged, routes } from '../route.ts';
import { conversationContent, TITLE_MAX } from './conversation.ts';

/**
 * Paths to which the playground sends OpenAI's requests. The response has no envelope: it is the relay's own, streamed.
 * It is billed to the signed-in user; no key reaches the browser.
 */
export const playgroundPaths = {
  text: '/api/playground/chat/completions',
  pictures: '/api/playground/images/generations',
  speech: '/api/playground/audio/speech',
  transcript: '/api/playground/audio/transcriptions',
} as const;

export const CONVERSATIONS_MAX = 500;
/** Maximum bytes of a conversation as JSON, with its attached images. */
export const CONVERSATION_BYTES_MAX = 2 * 1_048_576;
/** Maximum bytes of a request that carries a conversation: title and version are beside it. */
const BODY_BYTES_MAX = CONVERSATION_BYTES_MAX + 4_096;

const title = z
  .string()
  .trim()
  .min(1)
  .max(TITLE_MAX)
  .regex(/^\P{Cc}*$/u);
/** Grows by one each time the conversation is saved. */
const version = z.int().min(1);
const params = z.object({ id: conversationId });

const listed = z.object({
  id: conversationId,
  title: z.string(),
  version,
  created_time: seconds,
  updated_time: seconds,
});
export type ListedConversation = z.output<typeof listed>;

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
  listConversations: {
    method: 'GET',
    path: '/api/playground/conversations',
    access: 'user',
    impersonated: false,
    summary:
      'Own conversations without their contents, the last saved first; `keyword` is looked for in titles',
    query: listQuery(['updated_time', 'title'], { keyword: z.string().trim().max(TITLE_MAX).optional() }),
    answer: paged(listed),
  },
  readConversation: {
    method: 'GET',
    path: '/api/playground/conversations/:id',
    access: 'user',
    impersonated: false,
    summary: 'An own conversation',
    params,
    written: true,
    answer: listed.extend({ content: conversationContent }),
  },
  createConversation: {
    method: 'POST',
    path: '/api/playground/conversations',
    access: 'user',
    bodyMaxBytes: BODY_BYTES_MAX,
    summary:
      'Keeps a conversation. Refused when 500 are kept, when it is larger than 2 MB, and when none are kept here',
    body: z.object({ title, content: conversationContent }),
    answer: listed,
  },
  saveConversation: {
    method: 'PUT',
    path: '/api/playground/conversations/:id',
    access: 'user',
    bodyMaxBytes: BODY_BYTES_MAX,
    summary: 'Replaces what an own conversation holds; `conflict` when `version` is not the one that is kept',
    params,
    body: z.object({ version, content: conversationContent }),
    answer: listed,
  },
  renameConversation: {
    method: 'PUT',
    path: '/api/playground/conversations/:id/title',
    access: 'user',
    summary: 'Gives an own conversation another title',
    params,
    body: z.object({ title }),
    answer: listed,
  },
  removeConversation: {
    method: 'DELETE',
    path: '/api/playground/conversations/:id',
    access: 'user',
    summary: 'Deletes an own conversation',
    params,
    answer: nothing,
  },
  removeConversations: {
    method: 'DELETE',
    path: '/api/playground/conversations',
    access: 'user',
    summary: 'Deletes all own conversations; answers how many there were',
    answer: z.int(),
  },
});
