/** Vendor that speaks only chat completions, reasons with a signature, and sends the given responses in order. */
import { createServer } from 'node:http';
import { listen } from '../listen.ts';
import type { Loose } from './loose.ts';

export interface ScriptedChatResponse {
  thought?: string;
  text?: string;
  calls?: readonly { name: string; input: unknown }[];
}

export interface ChatUpstream {
  url: string;
  /** Bodies of the requests as texts, because the vendor's cache depends on their bytes. */
  asked: string[];
  headers: Record<string, unknown>[];
  answers: ScriptedChatResponse[];
  close(): Promise<void>;
}

const FRAGMENT = 7;

export async function startChatUpstream(): Promise<ChatUpstream> {
  const requests: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const answers: ScriptedChatResponse[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(Buffer.from(piece));
    const turn = requests.push(Buffer.concat(pieces).toString());
    headers.push(request.headers);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(formatStream(answers.shift() ?? { text: 'Done.' }, turn));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    asked: requests,
    headers,
    answers,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** @param turn number of the turn, from 1, which is part of ids and signatures */
function formatStream({ thought, text, calls = [] }: ScriptedChatResponse, turn: number): string {
  const chunk = (delta: Loose, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: `chatcmpl-${turn}`, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const call = (index: number, fields: Loose): string => chunk({ tool_calls: [{ index, ...fields }] });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(thought === undefined
      ? []
      : [
          chunk({ reasoning_content: thought }),
          chunk({ reasoning_details: [{ type: 'reasoning.text', signature: `proof-${turn}` }] }),
        ]),
    ...(text === undefined ? [] : [chunk({ content: text })]),
    ...calls.flatMap(({ name, input }, index) => {
      const fragments = JSON.stringify(input).match(new RegExp(`.{1,${FRAGMENT}}`, 'g')) ?? [];
      return [
        call(index, { id: `call_${turn}_${index}`, type: 'function', function: { name, arguments: '' } }),
        ...fragments.map((fragment) => call(index, { function: { arguments: fragment } })),
      ];
    }),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    'data: {"choices":[],"usage":{"prompt_tokens":900,"completion_tokens":60,"total_tokens":960}}\n\n',
    'data: [DONE]\n\n',
  ].join('');
}
