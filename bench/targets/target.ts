/** What is measured: something on 127.0.0.1 that relays to the mock. */

export interface Target {
  name: string;
  port: number;
  /** Process whose CPU and memory count. */
  pid: number;
  /** Headers that it needs to know what to do. */
  headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface Wish {
  path?: '/v1/chat/completions' | '/v1/messages';
  /** The mock's word for how to answer. */
  model?: Model;
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

/** Its name says which vocabulary its tokens are counted with. */
export const COUNTED_MODEL = 'gpt-4o-bench-unreported';

interface Message {
  role: 'user' | 'assistant';
  content: string;
}

export const PROMPT = 'Summarise the following paragraph for a reader in a hurry, please. '.repeat(20);

const ONE_QUESTION: readonly Message[] = [{ role: 'user', content: PROMPT }];

/** The bytes of one request of about 1.5 kB. */
export function requestBytes(target: Pick<Target, 'port' | 'headers'>, wish: Wish = {}): Buffer {
  const {
    path = '/v1/chat/completions',
    model = 'bench-model',
    stream = false,
    messages = ONE_QUESTION,
  } = wish;
  const body = JSON.stringify({
    model,
    stream,
    ...(stream && path === '/v1/chat/completions' ? { stream_options: { include_usage: true } } : {}),
    max_tokens: 300,
    messages,
  });
  const headers = Object.entries({
    host: `127.0.0.1:${target.port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...target.headers,
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`);
}
