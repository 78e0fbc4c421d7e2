import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { requestReply } from './use-chat.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Responds with a stream that sends what `say` gets, until the client disconnects. */
function answerSlowly(): { say: (text: string) => void } {
  const encoder = new TextEncoder();
  let send: ((text: string) => void) | undefined;
  vi.spyOn(globalThis, 'fetch').mockImplementation((_url, init) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = (text) => controller.enqueue(encoder.encode(text));
        init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  });
  return { say: (text) => send?.(text) };
}

it('aborts a call after two minutes without a byte; a heartbeat restarts the timeout', async () => {
  const server = answerSlowly();
  const onEnd = vi.fn();
  const request = { model: 'm', messages: [] };
  const signal = new AbortController().signal;
  void requestReply({ request, signal, onRequestId: vi.fn(), onPart: vi.fn() }).catch(onEnd);
  await vi.advanceTimersByTimeAsync(100_000);
  server.say(': waiting\n\n');
  await vi.advanceTimersByTimeAsync(100_000);
  expect(onEnd).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(onEnd).toHaveBeenCalledWith(expect.objectContaining({ code: 'silent' }));
});

it('distinguishes a stop by the user from a failure', async () => {
  answerSlowly();
  const controller = new AbortController();
  const onEnd = vi.fn();
  const request = { model: 'm', messages: [] };
  void requestReply({ request, signal: controller.signal, onRequestId: vi.fn(), onPart: vi.fn() }).catch(onEnd);
  await vi.advanceTimersByTimeAsync(10);
  controller.abort();
  await vi.advanceTimersByTimeAsync(10);
  expect(onEnd).toHaveBeenCalledWith(expect.objectContaining({ name: 'AbortError' }));
});
