/** Rules of every stream of OpenAI's Responses, checked on its events. */
import { expect } from 'vitest';
import type { Loose } from './loose.ts';

const ends = ['response.completed', 'response.incomplete', 'response.failed'];

export function checkResponseEvents(bytes: Buffer): void {
  const events = parseEvents(bytes);
  const types = events.map((event) => event.type);
  expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
  expect(types.filter((type) => ends.includes(type))).toHaveLength(1);
  expect(ends).toContain(types.at(-1));
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  const { response } = events.at(-1);
  expect(new Set(events.flatMap((event) => event.response?.id ?? []))).toEqual(new Set([response.id]));
  checkItems(events, response);
  expect(response.completed_at === null).toBe(response.status !== 'completed');
}

function parseEvents(bytes: Buffer): Loose[] {
  const blocks = bytes
    .toString('utf8')
    .split('\n\n')
    .filter((block) => block !== '');
  return blocks.map((block) => {
    const [name, data, ...more] = block.split('\n');
    const event: Loose = JSON.parse(String(data).replace(/^data: /, ''));
    expect([name, more]).toEqual([`event: ${event.type}`, []]);
    return event;
  });
}

function checkItems(events: Loose[], response: Loose): void {
  const added = events.filter((event) => event.type === 'response.output_item.added');
  const done = events.filter((event) => event.type === 'response.output_item.done');
  expect(added.map((event) => event.output_index)).toEqual(added.map((_, index) => index));
  expect(done.map((event) => event.output_index).toSorted((a, b) => a - b)).toEqual(
    added.map((event) => event.output_index),
  );
  expect(response.output).toEqual(done.toSorted((a, b) => a.output_index - b.output_index).map((event) => event.item));
  expect(new Set(response.output.map((item: Loose) => item.id)).size).toBe(response.output.length);
  for (const [index, item] of response.output.entries()) {
    const own = events.filter((event) => event.output_index === index);
    expect(own[0]).toMatchObject({ type: 'response.output_item.added', item: { id: item.id, type: item.type } });
    expect(own.at(-1)?.type).toBe('response.output_item.done');
    for (const event of own.slice(1, -1)) expect(event.item_id).toBe(item.id);
    checkPieces(own, item);
  }
}

/** Deltas must add up to the complete value. */
function checkPieces(own: Loose[], item: Loose): void {
  for (const whole of own.filter((event) => /(text|refusal|arguments|input|code)\.done$/.test(event.type))) {
    const piece = whole.type.replace(/done$/, 'delta');
    const isSame = (event: Loose): boolean =>
      event.type === piece &&
      event.content_index === whole.content_index &&
      event.summary_index === whole.summary_index;
    const pieces = own.filter(isSame).map((event) => event.delta);
    const { text, refusal, arguments: call, input, code } = whole;
    expect(pieces.join('')).toBe(text ?? refusal ?? call ?? input ?? code);
  }
  const opened = own.filter((event) => event.type.endsWith('part.added')).length;
  expect(own.filter((event) => event.type.endsWith('part.done'))).toHaveLength(opened);
  expect(opened).toBe((item.content ?? item.summary ?? []).length);
}
