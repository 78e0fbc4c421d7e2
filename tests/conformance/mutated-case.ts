/** One mutated stream, played to a client of its dialect and to one of another, each twice. */

import { UpstreamError } from '@switchyard/relay';
import { TOKENS_MAX, usageCounters } from '@switchyard/relay/usage';
import { withoutByteOrderMark } from '../../packages/relay/src/wire/byte-order-mark.ts';
import { mutateStream } from './mutate-stream.ts';
import { checkReadable } from './readable-stream.ts';
import type { Dialect } from './recorded-files.ts';
import { streamClients as clients, type RelayClient } from './relay-clients.ts';
import { SeededRandom } from './seeded-random.ts';
import { type StreamSource, sources, takeExcerpt } from './stream-sources.ts';

/** CPU time, far above that of the slowest case (megabytes in one event), and far below a noticeable delay. */
const MILLISECONDS_MAX = 5_000;
const SAMPLE_MAX = 64 * 1024;

interface PlayedResponse {
  bytes: Buffer;
  error: string;
  finished: boolean;
  /** Results that must not depend on how the bytes are split. */
  meter: Readonly<Record<string, unknown>>;
}

function playStream(client: RelayClient, upstream: Dialect, body: Buffer, random: SeededRandom): PlayedResponse {
  const reader = client.exchanges.get(upstream)?.readResponse();
  if (reader === undefined) throw new Error(`nobody speaks ${upstream}`);
  const pieces: Buffer[] = [];
  let error = '';
  try {
    for (const chunk of cutRandomly(body, random)) pieces.push(reader.push(chunk));
    pieces.push(reader.end());
  } catch (thrown) {
    if (!(thrown instanceof UpstreamError)) throw thrown;
    error = `${thrown.kind}: ${thrown.message}`;
  }
  const { usage, finished, deliveredCharacters, deliveredWideCharacters, deliveredSample } = reader.meter;
  assert(deliveredSample.length <= SAMPLE_MAX, 'the sample grows');
  assert(isCount(deliveredCharacters) && isCount(deliveredWideCharacters), 'delivered is no count');
  assert(deliveredWideCharacters <= deliveredCharacters, 'more wide characters than characters');
  for (const counter of usageCounters) assert(isCount(usage?.[counter] ?? 0), `${counter} is no count`);
  assert(error !== '' || finished, 'an answer without an end is taken for a whole one');
  const { dropped } = reader;
  const meter = { usage, finished, deliveredCharacters, deliveredWideCharacters, deliveredSample, dropped };
  return { bytes: Buffer.concat(pieces), error, finished, meter };
}

function isCount(value: number): boolean {
  return Number.isFinite(value) && value >= 0 && value <= TOKENS_MAX;
}

function assert(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(what);
}

function cutRandomly(body: Buffer, random: SeededRandom): Buffer[] {
  const longest = random.pick([1 + body.length, 1 + body.length / 3, 600, 150]) + body.length / 200;
  const chunks: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const end = start + 1 + random.below(longest);
    chunks.push(body.subarray(start, end));
    start = end;
  }
  return chunks;
}

/** Ends of a response in the dialect; without any of them, no response can be complete. */
const ends: Readonly<Record<Dialect, RegExp>> = {
  'openai-chat': /\[DONE\]|finish_reason/,
  'anthropic-messages': /message_stop/,
  'openai-responses': /response\.(completed|incomplete|failed)/,
  gemini: /finish_?reason|block_?reason/i,
};

function checkStream(client: RelayClient, source: StreamSource, body: Buffer, random: SeededRandom): PlayedResponse {
  const first = playStream(client, source.dialect, body, random);
  const again = playStream(client, source.dialect, body, random);
  const text = body.toString('latin1');
  assert(!first.finished || ends[source.dialect].test(text), 'an incomplete response has finished');
  assert(first.error === again.error, `cut otherwise, it ends with: ${again.error}, not: ${first.error}`);
  for (const [name, value] of Object.entries(first.meter)) {
    const [once, twice] = [JSON.stringify(value), JSON.stringify(again.meter[name])];
    assert(once === twice, `cut otherwise, ${name} is ${twice}, not ${once}`);
  }
  const isSame = first.bytes.equals(again.bytes) || omitVolatile(first.bytes) === omitVolatile(again.bytes);
  assert(isSame, 'cut otherwise, other bytes come');
  if (client.isArray) {
    if (first.error === '') JSON.parse(first.bytes.toString());
  } else if (client.dialect !== source.dialect) checkReadable(client.dialect, first.bytes, first.error === '');
  else assert(isSubsequence(first.bytes, withoutByteOrderMark(body)), 'what passes through is not what came');
  return first;
}

/** Removes what differs between equal responses, and blank lines that end nothing. */
function omitVolatile(bytes: Buffer): string {
  return (
    String(bytes)
      .trimEnd()
      .replaceAll(/\n{3,}/g, '\n\n')
      .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0')
      // Ids that the gateway creates if the upstream sent none.
      .replaceAll(/[0-9a-f]{32}/g, '')
  );
}

/** Returns whether the lines are the others with some left out. */
function isSubsequence(part: Buffer, whole: Buffer): boolean {
  if (whole.subarray(0, part.length).equals(part)) return true;
  const lines = whole.toString('latin1').split('\n');
  let at = 0;
  return part
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
    .every((line) => (at = lines.indexOf(line, at) + 1) > 0);
}

export interface CaseResult {
  milliseconds: number;
  /** Results of both clients. */
  isWhole: boolean;
}

/** @throws Error if a rule is violated */
export function runMutatedCase(seed: number): CaseResult {
  const random = new SeededRandom(seed);
  const source = random.pick(sources);
  const body = mutateStream(source.dialect, takeExcerpt(source, random), random);
  const startedAt = process.cpuUsage();
  const own = clients.filter(({ dialect }) => dialect === source.dialect);
  const others = clients.filter(({ dialect }) => dialect !== source.dialect);
  const passed = checkStream(random.pick(own), source, body, random);
  const translated = checkStream(random.pick(others), source, body, random);
  const { user, system } = process.cpuUsage(startedAt);
  const milliseconds = (user + system) / 1_000;
  assert(milliseconds < MILLISECONDS_MAX, `takes ${Math.round(milliseconds)} ms`);
  return { milliseconds, isWhole: passed.error === '' && translated.error === '' };
}
