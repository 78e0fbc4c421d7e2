/** Random damage to a stream: to its events, their content, and its bytes. */
import { mutateJson } from './mutate-json.ts';
import type { Dialect } from './recorded-files.ts';
import type { SeededRandom } from './seeded-random.ts';

const PAGE = '<!doctype html>\n<html><body><h1>502 Bad Gateway</h1>\n\n<p>nginx</p></body></html>\n';

const foreignEvents: readonly string[] = [
  '{"error":{"message":"Too many requests","type":"rate_limit_error","code":429}}',
  '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  '{"type":"response.failed","response":{"error":{"code":"server_error","message":"No"}}}',
  '[{"error":{"code":503,"status":"UNAVAILABLE","message":"Try later"}}]',
  '{"detail":"Not found"}',
  '{"message":""}',
  '{"type":"ping"}',
  '{}',
  '[]',
  'null',
  '7',
  '"x"',
  '',
  'not json',
  '{"cut":',
  '[DONE]',
  ' [DONE] ',
  '{"type":"message_stop"}',
  '{"type":"content_block_stop","index":0}',
  '{"choices":[]}',
  '{"choices":[{}]}',
  '{"choices":[{"delta":{"tool_calls":[{}]},"finish_reason":"stop"}]}',
  '{"candidates":[{}]}',
  '{"usageMetadata":{"promptTokenCount":0,"candidatesTokenCount":0}}',
  '{"choices":[],"usage":{"prompt_tokens":1e300,"completion_tokens":-1}}',
];

type Step = (events: string[], random: SeededRandom) => void;

const at = (events: readonly string[], random: SeededRandom): number => random.below(events.length);

const say: Step = (events, random) => {
  const index = at(events, random);
  const text = events[index];
  if (text?.startsWith('{') !== true) return;
  try {
    events[index] = mutateJson(text, random);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
};

const eventSteps: readonly Step[] = [
  ...Array.from<Step>({ length: 6 }).fill(say),
  (events, random) => events.splice(at(events, random), 1),
  (events, random) => events.splice(at(events, random), 1 + random.below(3)),
  (events, random) => {
    const index = at(events, random);
    events.splice(index, 0, ...events.slice(index, index + 1 + random.below(2)));
  },
  (events, random) => {
    const [taken] = events.splice(at(events, random), 1);
    if (taken !== undefined) events.splice(at(events, random), 0, taken);
  },
  (events, random) => events.splice(1 + at(events, random)),
  (events, random) => events.splice(at(events, random), 0, random.pick(foreignEvents)),
  (events, random) => {
    const index = at(events, random);
    const text = events[index] ?? '';
    events[index] = text.slice(0, random.below(text.length + 1));
  },
];

const BIG_BYTES = 2_000_000;

/** Rare, because each takes milliseconds. */
const makeHuge: Step = (events, random) => {
  const index = at(events, random);
  const text = events[index] ?? '';
  events[index] = random.chance(0.5)
    ? text.replace(/":"[^"]*"/, `":"${'x'.repeat(BIG_BYTES)}"`)
    : text.replace('{', `{"padding":[${'{},'.repeat(BIG_BYTES / 10)}0],`);
};

/** @returns the bytes that an unprotected client would receive */
export function mutateStream(dialect: Dialect, excerpt: readonly string[], random: SeededRandom): Buffer {
  const events = [...excerpt, ...(dialect === 'openai-chat' ? ['[DONE]'] : [])];
  const steps = random.below(6);
  for (let step = 0; step < steps && events.length > 0; step++) random.pick(eventSteps)(events, random);
  if (random.chance(0.000_5) && events.length > 0) makeHuge(events, random);
  const end = (dialect === 'gemini') === random.chance(0.95) ? '\r\n' : '\n';
  const framed = events.map((event) => formatFrame(dialect, event, end, random));
  return random.chance(0.25) ? damageBytes(framed, random) : Buffer.from(framed.join(''));
}

function formatFrame(dialect: Dialect, event: string, end: string, random: SeededRandom): string {
  const data = `data: ${event}${end}${end}`;
  if (dialect === 'openai-chat' || dialect === 'gemini') return data;
  const type = /"type":"([\w.]*)"/.exec(event)?.[1] ?? 'error';
  return `event: ${random.chance(0.01) ? 'error' : type}${end}${data}`;
}

function damageBytes(framed: string[], random: SeededRandom): Buffer {
  const index = random.below(framed.length + 1);
  const text = framed.join('');
  switch (random.below(10)) {
    case 0:
      return Buffer.from(text.slice(0, random.below(text.length + 1)));
    case 1:
      return Buffer.from(text.trimEnd());
    case 2:
      return Buffer.from(PAGE);
    case 3:
      return Buffer.from(framed.toSpliced(index, 0, PAGE).join(''));
    case 4:
      return Buffer.from(framed[0]?.replace(/^data: /, '') ?? '');
    case 5:
      return Buffer.from(framed.toSpliced(index, 0, ': ping\n\n', 'id: 7\n\n', '\n\n\n').join(''));
    case 6:
      return Buffer.from(random.pick(['\uFEFF', '\n\n', ' \r\n']) + text);
    case 7:
      return Buffer.from(framed.toSpliced(index, 0, 'data: {"a":\ndata: 1}\n\n').join(''));
    default:
      return insertBadBytes(Buffer.from(text), random);
  }
}

function insertBadBytes(bytes: Buffer, random: SeededRandom): Buffer {
  for (let times = 1 + random.below(4); times > 0 && bytes.length > 0; times--)
    bytes[random.below(bytes.length)] = random.chance(0.5) ? 0x80 + random.below(0x80) : random.below(0x80);
  return bytes;
}
