/** Changes one event's JSON like broken and hostile upstreams. */
import { isObject } from '@switchyard/relay/json';
import type { SeededRandom } from './seeded-random.ts';

/** A number that JavaScript reads as infinite, which JSON text can only write like this. */
const INFINITE = '@@infinite@@';

const deep = (): unknown => JSON.parse(`${'[{"a":'.repeat(40)}1${'}]'.repeat(40)}`);

type Values = readonly unknown[];
const values: Values = [
  null,
  true,
  0,
  -1,
  0.5,
  7,
  1e9,
  1e308,
  INFINITE,
  '',
  ' ',
  'x',
  '7',
  '\0',
  '\ud800',
  '天气🐻',
  '<b>',
  '__proto__',
  '{"a":',
  '[DONE]',
  'data: x\n\n',
  [],
  {},
  [[]],
  [null],
  ['x'],
  [{}],
  { a: 1 },
  { toString: 0 },
  [{ toString: 0, valueOf: 'x' }],
];
const indexes: Values = [-1, 0, 1, 2, 3, 127, 128, 1e6, 1e9, 2 ** 31, 0.5, '0', null, {}, INFINITE];
const counts: Values = [0, -5, 0.5, 1e8, 1e15, 1e308, '7', null, {}, [], INFINITE];
const ids: Values = ['', ' ', 'call_1', 'call_1', null, 7, {}];
const names: Values = ['', ' ', null, 7, 'get_weather', '__proto__', {}];
const types: Values = [
  '',
  'unheard_of',
  { toString: 0 },
  null,
  7,
  'text',
  'tool_use',
  'thinking',
  'text_delta',
  'input_json_delta',
  'message',
  'message_stop',
  'function_call',
  'custom_tool_call',
  'reasoning',
  'web_search_call',
  'function',
  'response.output_item.added',
  'response.output_item.done',
  'response.completed',
  'server_tool_use',
  'response.output_text.delta',
  'response.function_call_arguments.delta',
  'content_block_start',
];
const reasons: Values = ['', 'stop', 'STOP', 'tool_calls', 'tool_use', 'SAFETY', 'null', 'x', null, 7, {}];

/** Values for fields with such names. */
const targetedValues: readonly (readonly [RegExp, Values])[] = [
  [/index$/i, indexes],
  [/token|count$/i, counts],
  [/^(id|\w+_id|responseId)$/, ids],
  [/^name$/, names],
  [/^(type|role|status|object)$/, types],
  [/reason$/i, reasons],
  [/^(usage|usageMetadata)$/, [null, {}, 0, [], 'x']],
  [/^(delta|content|message|choices|candidates|parts|output|item|tool_calls|content_block)$/, values],
  [/^(text|arguments|partial_json|args|thinking|annotations|logprobs|signature)$/, values],
];

interface Slot {
  holder: Record<string, unknown> | unknown[];
  key: string;
}
const SLOTS_MAX = 300;

function listSlots(json: unknown): Slot[] {
  const slots: Slot[] = [];
  const waiting = [json];
  for (let value = waiting.pop(); value !== undefined && slots.length < SLOTS_MAX; value = waiting.pop()) {
    if (!isObject(value) && !Array.isArray(value)) continue;
    for (const [key, inner] of Object.entries(value)) {
      slots.push({ holder: value, key });
      if (typeof inner === 'object' && inner !== null) waiting.push(inner);
    }
  }
  return slots;
}

/** Returns the JSON text with one change. */
export function mutateJson(text: string, random: SeededRandom): string {
  const json: unknown = JSON.parse(text);
  const all = listSlots(json);
  const [pattern, wanted] = random.pick(targetedValues);
  const named = all.filter(({ key }) => pattern.test(key));
  const [aimed, tried]: [Slot[], Values] = named.length > 0 && random.chance(0.8) ? [named, wanted] : [all, values];
  if (aimed.length === 0) return text;
  mutateSlot(random.pick(aimed), tried, random);
  return JSON.stringify(json).replaceAll(`"${INFINITE}"`, '1e400');
}

function mutateSlot({ holder, key }: Slot, tried: Values, random: SeededRandom): void {
  const kind = random.below(10);
  const inner: unknown = Reflect.get(holder, key);
  if (kind === 0) Reflect.deleteProperty(holder, key);
  else if (kind === 1) Reflect.set(holder, key, [inner, inner]);
  else if (kind === 2 && Array.isArray(inner)) inner.push(...inner.slice(-1));
  else if (kind === 3 && random.chance(0.5)) Reflect.set(holder, key, deep());
  else if (kind === 3 && random.chance(0.2)) Reflect.set(holder, key, 'lorem '.repeat(2_000));
  else Reflect.set(holder, key, structuredClone(random.pick(tried)));
}
