import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planExchange } from '../../../exchange/plan-exchange.ts';
import type { DialectId } from '../../../model/dialect-id.ts';
import { responsesOnly, sampleRequest } from '../../../testing/sample-requests.ts';
import { createStreamDecoder } from './decoders/decode-response.ts';

interface Part {
  text: string;
  isStreamed: boolean;
}

interface Item {
  type: 'message' | 'reasoning';
  parts: Part[];
}

interface Habits {
  /** The start of `content_index` in each item; `through` counts through all items. */
  base: number | 'through';
  /** True if events of parts lack `output_index`. */
  namesItems: boolean;
  /** `…done` events of parts come. */
  hasDone: boolean;
  /** True if `…done` events count from zero, unlike deltas. */
  doneFromZero: boolean;
}

const habits: Habits[] = ([0, 1, 2, 'through'] as const).flatMap((base) =>
  [true, false].flatMap((namesItems) =>
    [true, false].flatMap((hasDone) =>
      [true, false].map((doneFromZero) => ({ base, namesItems, hasDone, doneFromZero })),
    ),
  ),
);

function eventsOf(items: readonly Item[], { base, namesItems, hasDone, doneFromZero }: Habits): object[] {
  const events: object[] = [{ type: 'response.created', response: { id: 'resp_1', model: 'm', output: [] } }];
  let through = 0;
  const output = items.map(({ type, parts }, output_index) => {
    const [part, event] = type === 'message' ? ['output_text', 'output_text'] : ['reasoning_text', 'reasoning_text'];
    const id = `item_${output_index}`;
    const item = { id, type, content: parts.map(({ text }) => ({ type: part, text, annotations: [] })) };
    const place = namesItems ? { item_id: id } : { item_id: id, output_index };
    events.push({ type: 'response.output_item.added', output_index, item: { ...item, content: [] } });
    for (const [position, { text, isStreamed }] of parts.entries()) {
      const content_index = (base === 'through' ? output_index + through : base) + position;
      if (!isStreamed) continue;
      const half = Math.ceil(text.length / 2);
      for (const delta of [text.slice(0, half), text.slice(half)])
        if (delta !== '') events.push({ type: `response.${event}.delta`, ...place, content_index, delta });
      const counted = doneFromZero ? position : content_index;
      if (hasDone) events.push({ type: `response.${event}.done`, ...place, content_index: counted, text });
    }
    through += parts.length - 1;
    events.push({ type: 'response.output_item.done', output_index, item });
    return item;
  });
  const usage = { input_tokens: 5, output_tokens: 9, total_tokens: 14 };
  events.push({
    type: 'response.completed',
    response: { id: 'resp_1', model: 'm', status: 'completed', output, usage },
  });
  return events;
}

function decoded(events: readonly object[]): { text: string; reasoning: string } {
  const decoder = createStreamDecoder({ add() {} });
  const all = events.flatMap((event) => decoder.push({ ...event }));
  const joined = (type: string): string =>
    all.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
  return { text: joined('text'), reasoning: joined('reasoning').replaceAll('\n\n', '') };
}

const textOf = (items: readonly Item[], type: Item['type']): string =>
  items.flatMap((item) => (item.type === type ? item.parts.map(({ text }) => text) : [])).join('');

const word = fc.stringMatching(/^[a-z]{1,9}$/);
const streamed = fc.array(
  fc.record({
    type: fc.constantFrom<Item['type']>('message', 'reasoning'),
    parts: fc.array(fc.record({ text: word, isStreamed: fc.constant(true) }), { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);

describe('a Responses stream that repeats its texts whole', () => {
  it.each(habits)(
    'says each text once when content_index counts from $base, named by item: $namesItems, with done events: $hasDone, from zero: $doneFromZero',
    (habit) => {
      // A done event of an index that another part had is read as that part's: no vendor counts so within one item.
      const most = habit.hasDone && habit.doneFromZero ? 1 : 3;
      fc.assert(
        fc.property(streamed, (drawn) => {
          const items = drawn.map((item) => ({ ...item, parts: item.parts.slice(0, most) }));
          const said = decoded(eventsOf(items, habit));
          expect(said).toEqual({ text: textOf(items, 'message'), reasoning: textOf(items, 'reasoning') });
        }),
        { numRuns: 40 },
      );
    },
  );

  it('emits a text once if the end of its part arrives twice', () => {
    const place = { output_index: 0, content_index: 0 };
    const done = { type: 'response.output_text.done', ...place, text: 'Hello' };
    const delta = { type: 'response.output_text.delta', ...place, delta: 'Hello' };
    expect(decoded([delta, done, done]).text).toBe('Hello');
  });

  it('emits a part that was not streamed, beside a streamed one', () => {
    const parts = [
      { text: 'never streamed', isStreamed: false },
      { text: 'streamed', isStreamed: true },
    ];
    for (const habit of habits.filter(({ base }) => base === 0))
      expect(decoded(eventsOf([{ type: 'message', parts }], habit)).text).toBe('streamednever streamed');
  });

  it('emits a text once if the complete item lacks its last white space', () => {
    const events = eventsOf([{ type: 'message', parts: [{ text: 'Hello ', isStreamed: true }] }], {
      base: 1,
      namesItems: false,
      hasDone: false,
      doneFromZero: false,
    });
    const trimmed = JSON.parse(JSON.stringify(events).replaceAll('"text":"Hello "', '"text":"Hello"'));
    expect(decoded(trimmed).text).toBe('Hello ');
  });

  it.each(
    (['openai-chat', 'anthropic-messages', 'gemini'] satisfies DialectId[]).flatMap((client) =>
      [true, false].map((stream) => ({ client, stream })),
    ),
  )('reaches a client of $client with one text when stream is $stream', ({ client, stream }) => {
    const items: Item[] = [
      { type: 'reasoning', parts: [{ text: 'They greet me.', isStreamed: true }] },
      { type: 'message', parts: [{ text: 'Welcome!', isStreamed: true }] },
    ];
    const habit = { base: 'through', namesItems: false, hasDone: true, doneFromZero: false } as const;
    const body = stream
      ? eventsOf(items, habit)
          .map((event) => `data: ${JSON.stringify(event)}\n\n`)
          .join('')
      : JSON.stringify((eventsOf(items, habit).at(-1) as { response: object }).response);
    const thinking = {
      'anthropic-messages': { thinking: { type: 'adaptive' } },
      gemini: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
      'openai-chat': {},
    }[client];
    const reader = planExchange(sampleRequest(client, { stream, ...thinking }), responsesOnly()).readResponse();
    const answer = Buffer.concat([reader.push(Buffer.from(body)), reader.end()]).toString();
    const pieces = answer.match(/Welc|ome!/g)?.join('');
    expect(pieces).toBe('Welcome!');
    expect(answer.match(/They greet|They gr/g)).toHaveLength(1);
  });
});
