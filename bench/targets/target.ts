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

interface Wish {
  path?: '/v1/chat/completions' | '/v1/messages';
  /** The mock's word for how to answer. */
  model?: 'bench-model' | 'bench-paced' | 'bench-idle' | 'bench-burst';
  stream?: boolean;
}

const PROMPT = 'Summarise the following paragraph for a reader in a hurry, please. '.repeat(20);

/** The bytes of one request of about 1.5 kB. */
export function requestBytes(target: Pick<Target, 'port' | 'headers'>, wish: Wish = {}): Buffer {
  const { path = '/v1/chat/completions', model = 'bench-model', stream = false } = wish;
  const body = JSON.stringify({
    model,
    stream,
    ...(stream && path === '/v1/chat/completions' ? { stream_options: { include_usage: true } } : {}),
    max_tokens: 300,
    messages: [{ role: 'user', content: PROMPT }],
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
