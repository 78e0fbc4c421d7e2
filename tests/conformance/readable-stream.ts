/** Checks that a client can read its stream, complete or interrupted between two events. */
import { parseSseEvents } from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import type { Dialect } from './recorded-files.ts';
import { checkResponseEvents } from './response-events.ts';

/** @throws Error if it cannot. @param isWhole whether the upstream's response ended normally */
export function checkReadable(client: Dialect, bytes: Buffer, isWhole: boolean): void {
  const events = parseSseEvents(bytes)
    .map(({ data }) => data)
    .filter((data) => client !== 'openai-chat' || data !== '[DONE]')
    .map(parseObject);
  if (client === 'anthropic-messages') checkBlocks(events, isWhole);
  if (client === 'openai-chat') checkChunks(events, isWhole);
  if (client === 'gemini') checkCandidates(events, isWhole);
  if (client === 'openai-responses' && isWhole) checkResponseEvents(bytes);
}

function parseObject(data: string): Record<string, unknown> {
  const json: unknown = JSON.parse(data);
  if (!isObject(json)) throw new Error(`an event is no object: ${data.slice(0, 100)}`);
  return json;
}

function assert(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(what);
}

/** Blocks follow each other, each opened, filled and closed, between the message's start and stop. */
function checkBlocks(events: readonly Record<string, unknown>[], isWhole: boolean): void {
  let open: unknown;
  let blocks = 0;
  for (const [position, event] of events.entries()) {
    const { type, index } = event;
    assert((type === 'message_start') === (position === 0), `message_start is not the first event alone`);
    if (type === 'content_block_start') {
      assert(open === undefined, 'a block starts within another one');
      assert(index === blocks, `block ${String(index)} comes after ${blocks} others`);
      open = index;
      blocks++;
    } else if (type === 'content_block_delta')
      assert(open === index && open !== undefined, 'a delta outside its block');
    else if (type === 'content_block_stop') {
      assert(open === index && open !== undefined, 'a stop outside its block');
      open = undefined;
    } else if (type === 'message_delta') assert(open === undefined, 'the message ends within a block');
  }
  if (!isWhole) return;
  const ends = events.filter(({ type }) => type === 'message_delta' || type === 'message_stop');
  assert(ends.length === 2 && events.at(-1)?.['type'] === 'message_stop', 'the message does not end once');
}

/**
 * Each choice begins with its role, has the beginning of a call before its arguments, and ends once; usage follows in a
 * chunk without choices.
 */
function checkChunks(events: readonly Record<string, unknown>[], isWhole: boolean): void {
  const calls = new Set<string>();
  const open = new Set<unknown>();
  const ended = new Set<unknown>();
  for (const { id, choices, usage } of events) {
    assert(typeof id === 'string' && id !== '' && id === events[0]?.['id'], 'a chunk has not the id');
    assert(Array.isArray(choices), 'a chunk has no choices');
    const isReport = usage !== undefined && usage !== null;
    assert(isReport === (choices.length === 0), 'usage stands in a chunk with choices');
    assert(!isReport || ended.size > 0, 'usage comes before the end');
    for (const { index, delta, finish_reason: reason } of choices) {
      assert(!ended.has(index), 'a choice goes on after its end');
      assert(open.has(index) || delta.role === 'assistant', 'a choice begins without a role');
      open.add(index);
      for (const call of delta.tool_calls ?? []) {
        const key = `${index} ${call.index}`;
        assert(Number.isInteger(call.index), 'a call has no index');
        assert(call.id !== undefined || calls.has(key), 'arguments come before their call');
        calls.add(key);
      }
      if (reason !== null) ended.add(index);
    }
  }
  assert(!isWhole || ended.size > 0, 'no choice has ended');
}

/** Each candidate ends once, and has no content afterwards. */
function checkCandidates(events: readonly Record<string, unknown>[], isWhole: boolean): void {
  const ended = new Set<unknown>();
  for (const { candidates = [] } of events) {
    assert(Array.isArray(candidates), 'candidates are no list');
    for (const { index = 0, finishReason } of candidates) {
      assert(!ended.has(index), 'a candidate goes on after its end');
      if (finishReason !== undefined) ended.add(index);
    }
  }
  assert(!isWhole || ended.size > 0, 'no candidate has ended');
}
