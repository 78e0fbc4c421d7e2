/** Wire responses of the relay and the management API, and turns of a conversation, for the playground's tests. */
import type { playground } from '@switchyard/contract/playground/playground';
import { HttpResponse } from 'msw';
import type { z } from 'zod';
import { newAnswer, type Turn } from './conversations/conversation.ts';

export const event = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
export const complete = (text: string) => [event({ content: text }), event({}, 'stop'), 'data: [DONE]\n\n'];

/** Returns a stream that ends after the pieces or stays open. */
export function stream(pieces: readonly string[], { open = false, requestId = 'request1' } = {}) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      if (!open) controller.close();
    },
  });
  return new HttpResponse(body, { headers: { 'content-type': 'text/event-stream', 'x-request-id': requestId } });
}

type WireConversation = z.input<typeof playground.saveConversation.answer>;

export const keptAs = (version: number, more: Partial<WireConversation> = {}): WireConversation => ({
  id: 1,
  title: 'hello',
  version,
  created_time: 1_760_000_000,
  updated_time: 1_760_000_000,
  ...more,
});

/** Tool call with its result, if it has one. */
export const sampleToolCall = (result?: string) => ({
  place: 0,
  id: 'call_1',
  name: 'get_weather',
  arguments: '{"city":"Bern"}',
  ...(result === undefined ? {} : { result }),
});

/** Turn of text with finished responses. */
export const sampleTurn = (text: string, ...answers: string[]): Turn => ({
  id: text,
  for: 'text',
  text,
  images: [],
  files: [],
  answers: answers.map((answer) => ({ ...newAnswer('m'), text: answer, state: 'done' })),
});
