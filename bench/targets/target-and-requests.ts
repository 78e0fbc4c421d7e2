/** Measured program on 127.0.0.1 that relays to the mock. */

export interface Target {
  name: string;
  port: number;
  /** Process whose CPU and memory count. */
  pid: number;
  /** Headers that it requires. */
  headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const chatDialects = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini'] as const;
export type ChatDialect = (typeof chatDialects)[number];

export interface Wish {
  dialect?: ChatDialect;
  /** The mock's scenario, perhaps after the dialect of the upstream that is to serve it. */
  model?: Model | `${ChatDialect}--${Model}`;
  stream?: boolean;
  messages?: readonly Message[];
}

type Model =
  | 'bench-model'
  | 'bench-paced'
  | 'bench-idle'
  | 'bench-burst'
  | 'bench-unreported'
  | 'bench-free'
  | typeof COUNTED_MODEL;

/** Its name determines the vocabulary with which its tokens are counted. */
export const COUNTED_MODEL = 'gpt-4o-bench-unreported';

interface Message {
  role: 'user' | 'assistant';
  content: string;
}

export const PROMPT = 'Summarise the following paragraph for a reader in a hurry, please. '.repeat(20);

const ONE_QUESTION: readonly Message[] = [{ role: 'user', content: PROMPT }];

/** The bytes of one request of about 1.5 kB. */
export function requestBytes(target: Pick<Target, 'port' | 'headers'>, wish: Wish = {}): Buffer {
  const { dialect = 'openai-chat', model = 'bench-model', stream = false, messages = ONE_QUESTION } = wish;
  const { path, body } = asked(dialect, model, stream, messages);
  const text = JSON.stringify(body);
  const headers = Object.entries({
    host: `127.0.0.1:${target.port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...target.headers,
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head}\r\n${text}`);
}

function asked(
  dialect: ChatDialect,
  model: string,
  stream: boolean,
  messages: readonly Message[],
): { path: string; body: object } {
  switch (dialect) {
    case 'openai-chat': {
      const usage = stream ? { stream_options: { include_usage: true } } : {};
      return { path: '/v1/chat/completions', body: { model, stream, ...usage, max_tokens: 300, messages } };
    }
    case 'anthropic-messages':
      return { path: '/v1/messages', body: { model, stream, max_tokens: 300, messages } };
    case 'openai-responses':
      return { path: '/v1/responses', body: { model, stream, max_output_tokens: 300, input: messages } };
    case 'gemini': {
      const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const contents = messages.map(({ role, content }) => ({
        role: role === 'user' ? 'user' : 'model',
        parts: [{ text: content }],
      }));
      return {
        path: `/v1beta/models/${model}:${action}`,
        body: { contents, generationConfig: { maxOutputTokens: 300 } },
      };
    }
  }
}
