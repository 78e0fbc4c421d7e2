/** Provider with a streamed response that a test writes itself. */
import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../../../../tests/listen.ts';

export interface StreamingUpstream {
  url: string;
  /** Requests whose client left before their end. */
  readonly cancelled: number;
  close(): Promise<void>;
}

/** @param write writes the events, after the head */
export async function startStreamingUpstream(
  write: (response: ServerResponse) => Promise<void> | void,
): Promise<StreamingUpstream> {
  let cancelled = 0;
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) cancelled += 1;
    });
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      void write(response);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    get cancelled() {
      return cancelled;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Starts a provider that has a whole message of Claude for each request, and sends it when the test decides. */
export async function startWaitingMessages(usage: object) {
  const waiting: (() => void)[] = [];
  const content = [{ type: 'text', text: 'The end' }];
  const message = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage };
  const upstream = await startStreamingUpstream(async (response) => {
    await new Promise<void>((resolve) => void waiting.push(resolve));
    response.end(JSON.stringify(message));
  });
  return Object.assign(upstream, { countWaiting: () => waiting.length, sendNext: () => waiting.shift()?.() });
}

export function formatChatChunk(delta: object, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

/** Returns the last events of a stream. */
export function formatChatEnd(usage: object): string {
  const report = { choices: [], usage };
  return `${formatChatChunk({}, 'stop')}data: ${JSON.stringify(report)}\n\ndata: [DONE]\n\n`;
}
