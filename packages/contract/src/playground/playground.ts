import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { conversationId } from '../ids.ts';
import { emptyData, listQuery, paged, routes } from '../route.ts';
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
/** Maximum bytes of a request with a conversation, its title and version. */
const BODY_BYTES_MAX = CONVERSATION_BYTES_MAX + 4_096;

const title = z
  .string()
  .trim()
  .min(1)
  .max(TITLE_MAX)
  .regex(/^\P{Cc}*$/u);
/** Incremented by each save. */
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
    summary: 'Retrieve the cost of a response by its `x-request-id`; null until it is settled',
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
    summary: 'List your conversations without their contents, last saved first; `keyword` searches the titles',
    query: listQuery(['updated_time', 'title'], { keyword: z.string().trim().max(TITLE_MAX).optional() }),
    answer: paged(listed),
  },
  readConversation: {
    method: 'GET',
    path: '/api/playground/conversations/:id',
    access: 'user',
    impersonated: false,
    summary: 'Retrieve one of your conversations',
    params,
    written: true,
    answer: listed.extend({ content: conversationContent }),
  },
  createConversation: {
    method: 'POST',
    path: '/api/playground/conversations',
    access: 'user',
    bodyMaxBytes: BODY_BYTES_MAX,
    summary: 'Store a conversation; fails if 500 are stored, if it exceeds 2 MB, or if the site stores none',
    body: z.object({ title, content: conversationContent }),
    answer: listed,
  },
  saveConversation: {
    method: 'PUT',
    path: '/api/playground/conversations/:id',
    access: 'user',
    bodyMaxBytes: BODY_BYTES_MAX,
    summary: 'Replace the contents of one of your conversations; `conflict` if `version` is not the stored one',
    params,
    body: z.object({ version, content: conversationContent }),
    answer: listed,
  },
  renameConversation: {
    method: 'PUT',
    path: '/api/playground/conversations/:id/title',
    access: 'user',
    summary: 'Rename one of your conversations',
    params,
    body: z.object({ title }),
    answer: listed,
  },
  removeConversation: {
    method: 'DELETE',
    path: '/api/playground/conversations/:id',
    access: 'user',
    summary: 'Delete one of your conversations',
    params,
    answer: emptyData,
  },
  removeConversations: {
    method: 'DELETE',
    path: '/api/playground/conversations',
    access: 'user',
    summary: 'Delete all your conversations; returns their number',
    answer: z.int(),
  },
});
