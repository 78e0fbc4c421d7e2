import { describe, expect, test } from 'vitest';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { WritableMeter } from '../model/usage-meter.ts';
import { readCpuMs, startCpuTimer } from '../testing/cpu-timer.ts';
import { ModeratedReader, type ResponseCheck, type TextCheck } from './moderated-reader.ts';
import { REDACTION, RedactedText } from './redacted-text.ts';

const WORD = 'bomb';

/** Covers one word, and knows its beginnings. */
class WordCheck implements ResponseCheck {
  isRefused = false;
  readonly #refuses: boolean;

  constructor(refuses = false) {
    this.#refuses = refuses;
  }

  begin(): TextCheck {
    let text = '';
    let ended = 0;
    let found = 0;
    const redacted = new RedactedText();
    const look = (): void => {
      for (let at = text.indexOf(WORD, found); at !== -1; at = text.indexOf(WORD, found)) {
        found = at + WORD.length;
        redacted.add(at, found);
        this.isRefused ||= this.#refuses;
      }
    };
    return {
      push(piece) {
        text += piece;
        look();
      },
      end() {
        ended = text.length;
      },
      get decidedLength() {
        const open = [3, 2, 1].find((length) => text.endsWith(WORD.slice(0, length))) ?? 0;
        return Math.max(ended, text.length - open, found);
      },
      redactNext: (piece) => redacted.redactNext(piece),
    };
  }
}

function passing(): ResponseReader & { meter: WritableMeter } {
  const empty = Buffer.alloc(0);
  return {
    contentType: 'text/event-stream',
    meter: new WritableMeter(),
    dropped: [],
    heldBytes: 0,
    push: (chunk) => chunk,
    end: () => empty,
  };
}

const event = (json: object, name = ''): string =>
  `${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(json)}\n\n`;

/** A delta of each dialect, and how its text is read back. */
const dialects = {
  'openai-chat': {
    delta: (text: string) => ({ choices: [{ index: 0, delta: { content: text } }] }),
    path: 'choices.0.delta.content',
  },
  'openai-completions': { delta: (text: string) => ({ choices: [{ index: 0, text }] }), path: 'choices.0.text' },
  'anthropic-messages': {
    delta: (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    path: 'delta.text',
  },
  'openai-responses': {
    delta: (text: string) => ({
      type: 'response.output_text.delta',
      item_id: 'i',
      output_index: 0,
      content_index: 0,
      delta: text,
    }),
    path: 'delta',
  },
  gemini: {
    delta: (text: string) => ({ candidates: [{ index: 0, content: { parts: [{ text }], role: 'model' } }] }),
    path: 'candidates.0.content.parts.0.text',
  },
};

function textAt(json: unknown, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], json);
  return typeof value === 'string' ? value : '';
}

function textOf(bytes: string, path: string): string {
  return bytes
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => textAt(JSON.parse(line.slice(6)), path))
    .join('');
}

describe.each(Object.entries(dialects))('a stream of %s', (_dialect, { delta, path }) => {
  const text = 'A bomb is no bombon. bo';

  test('loses only the redacted word, wherever it is split', () => {
    for (let cut = 0; cut <= text.length; cut++) {
      for (let width = 0; width < 4; width++) {
        const pieces = [text.slice(0, cut), text.slice(cut, cut + width), text.slice(cut + width)];
        const reader = new ModeratedReader(passing(), new WordCheck(), true);
        const sent = pieces.map((piece) => reader.push(Buffer.from(event(delta(piece)))).toString());
        for (const bytes of sent) expect(bytes).not.toContain(WORD);
        const all = sent.join('') + reader.end().toString();
        expect(textOf(all, path)).toBe(text.replaceAll(WORD, REDACTION));
      }
    }
  });

  test('passes on at once and unchanged without a listed word', () => {
    const reader = new ModeratedReader(passing(), new WordCheck(), true);
    const odd = event(delta('Hello, ')).replace('Hello', 'H\\u0065llo');
    expect(reader.push(Buffer.from(odd)).toString()).toBe(odd);
    expect(reader.push(Buffer.from(event(delta('b')))).length).toBe(0);
    const rest = event(delta('ear'));
    expect(reader.push(Buffer.from(rest)).toString()).toBe(event(delta('b')) + rest);
    expect(reader.push(Buffer.from(': ping\n\n')).toString()).toBe(': ping\n\n');
  });

  test('stops a refused stream', () => {
    const reader = new ModeratedReader(passing(), new WordCheck(true), true);
    expect(reader.push(Buffer.from(event(delta('fine ')))).length).toBeGreaterThan(0);
    expect(reader.push(Buffer.from(event(delta('bo')))).length).toBe(0);
    expect(reader.push(Buffer.from(event(delta('mb')) + event(delta('more')))).length).toBe(0);
    expect(reader.end().length).toBe(0);
  });
});

test('releases the held events in order at its end', () => {
  const answer = passing();
  const reader = new ModeratedReader(answer, new WordCheck(), true);
  const { delta } = dialects['openai-chat'];
  reader.push(Buffer.from(event(delta('bo'))));
  answer.meter.finished = true;
  const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  expect(reader.push(Buffer.from(end)).toString()).toBe(event(delta('bo')) + end);
});

test('separates parallel texts, and does not wait long for one that stopped', () => {
  const reader = new ModeratedReader(passing(), new WordCheck(), true);
  const choice = (index: number, content: string): Buffer =>
    Buffer.from(event({ choices: [{ index, delta: { content } }] }));
  const sent = [choice(0, 'bo'), choice(1, 'x'), choice(0, 'mb'), choice(1, 'mbx')].map((bytes) =>
    reader.push(bytes).toString(),
  );
  expect(sent.slice(0, 2)).toEqual(['', '']);
  expect(sent.join('')).not.toContain('"bo"');
  expect(sent.join('')).toContain('"***"');
  expect(sent.join('')).toContain('{"content":"mbx"}');
  reader.push(choice(0, 'bo'));
  const waited = Array.from({ length: 60 }, () => reader.push(choice(1, 'ten letter')).length);
  expect(waited.findIndex((length) => length > 0)).toBeLessThan(55);
});

test('does not wait for the rest of a word while 10,000 events without text arrive', () => {
  const reader = new ModeratedReader(passing(), new WordCheck(), true);
  const { delta } = dialects['openai-chat'];
  expect(reader.push(Buffer.from(event(delta('bo')))).length).toBe(0);
  const pings = Buffer.from(event({}).repeat(1_000));
  const sent = Array.from({ length: 11 }, () => reader.push(pings).toString());
  expect(sent.join('')).toBe(event(delta('bo')) + event({}).repeat(11_000));
  expect(reader.push(Buffer.from(event(delta('!')))).toString()).toBe(event(delta('!')));
});

test('redacts events that repeat the whole text, and arguments of tools', () => {
  const reader = new ModeratedReader(passing(), new WordCheck(), true);
  const done = { type: 'response.output_text.done', output_index: 0, text: 'a bomb' };
  const completed = {
    type: 'response.completed',
    response: {
      model: 'bomb-1',
      output: [
        { type: 'message', content: [{ type: 'output_text', text: 'a bomb' }] },
        { type: 'function_call', name: 'f', arguments: '{"q":"bomb"}' },
      ],
    },
  };
  const gemini = { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { q: ['bomb'] } } }] } }] };
  const sent = [done, completed, gemini].map((json) => reader.push(Buffer.from(event(json))).toString());
  const all = sent.join('') + reader.end().toString();
  expect(all).toContain('"model":"bomb-1"');
  expect(all.replace('bomb-1', '')).not.toContain(WORD);
});

test('delivers nothing that has too much structure to be checked', () => {
  const json = { type: 'response.completed', words: Array.from({ length: 600_000 }, () => ({})), text: 'a bo\u006db' };
  const stream = new ModeratedReader(passing(), new WordCheck(), true);
  expect(stream.push(Buffer.from(`${event(json)}data: [DONE]\n\n`)).toString()).toBe('data: [DONE]\n\n');
  expect(stream.heldBytes).toBe(0);
  const whole = new ModeratedReader(passing(), new WordCheck(), false);
  whole.push(Buffer.from(JSON.stringify(json)));
  expect(() => whole.end()).toThrow('too large to be checked');
});

test('skips audio and images in events', () => {
  const reader = new ModeratedReader(passing(), new WordCheck(), true);
  const sound = event({ type: 'response.output_audio.delta', delta: 'xxbombxx' });
  expect(reader.push(Buffer.from(sound)).toString()).toBe(sound);
});

test.each([
  ['JSON', '{"id":"bomb","choices":[{"message":{"content":"a bomb"}}]}', '"content":"a ***"'],
  ['text', 'a bomb in a subtitle', 'a *** in a subtitle'],
])('moderates a non-streaming response before any of it is sent: %s', (_what, answer, covered) => {
  const reader = new ModeratedReader(passing(), new WordCheck(), false);
  expect(reader.push(Buffer.from(answer)).length).toBe(0);
  expect(reader.end().toString()).toContain(covered);
  const clean = answer.replaceAll('a bomb', 'a  bun');
  const other = new ModeratedReader(passing(), new WordCheck(), false);
  other.push(Buffer.from(clean));
  expect(other.end().toString()).toBe(clean);
});

test.each([false, true])('moderates a large response in parts, as a stream: %s', (isStream) => {
  const content = `${'x'.repeat(65_534)}bomb`.repeat(20);
  const { delta } = dialects['openai-chat'];
  const bytes = isStream
    ? event(delta(content)).repeat(3)
    : JSON.stringify({ choices: Array.from({ length: 3 }, () => ({ message: { content } })) });
  let parts = 0;
  const inner = { ...passing(), end: () => Buffer.from(bytes), translatePart: () => (parts += 1) < 3 };
  const reader = new ModeratedReader(inner, new WordCheck(), isStream);
  while (reader.translatePart()) parts += 1;
  expect(parts).toBeGreaterThan(isStream ? 5 : 60);
  expect(reader.end().toString()).toBe(bytes.replaceAll(WORD, REDACTION));
});

test('refuses an event with more text than can be checked at once', () => {
  const reader = new ModeratedReader(passing(), new WordCheck(), true);
  const send = (length: number): Buffer => reader.push(Buffer.from(event({ text: ['y'.repeat(length), 'zzzz'] })));
  expect(send(2_097_148).length).toBeGreaterThan(2_097_148);
  expect(() => send(2_097_149)).toThrow('an event that is too large to be checked');
});

test('reads the texts of a waiting event once, however many events follow', () => {
  const countReads = (count: number): number => {
    let reads = 0;
    const begin = (): TextCheck => {
      let length = 0;
      return {
        push(piece) {
          length += piece.length;
        },
        end() {},
        // The last character is never decided.
        get decidedLength() {
          reads += 1;
          return length - 1;
        },
        redactNext: (piece) => piece,
      };
    };
    const reader = new ModeratedReader(passing(), { begin, isRefused: false }, true);
    const content = Array.from({ length: count }, () => 'ab');
    reader.push(Buffer.from(event({ choices: [{ delta: { content } }] })));
    for (let nth = 0; nth < count; nth += 1) reader.push(Buffer.from(event({})));
    return reads;
  };
  expect(countReads(2_000) / countReads(1_000)).toBeLessThan(3);
});

test('reads many texts below a field with a long name in linear time', () => {
  const content = Array.from({ length: 100_000 }, () => 'a');
  const bytes = Buffer.from(event({ type: 'response.done', ['x'.repeat(600_000)]: { content } }));
  const reader = new ModeratedReader(passing(), new WordCheck(), true);
  const readMs = startCpuTimer();
  expect(reader.push(bytes)).toEqual(bytes);
  // When the name was searched again for each text, it was four seconds.
  expect(readMs()).toBeLessThan(2_000);
});

test('reads many interleaved short texts as fast as consecutive ones', () => {
  const measure = (length: number): number => {
    const choices = Array.from({ length: 3_000 }, (_, index) => ({ index, delta: { content: 'x'.repeat(length) } }));
    const bytes = Buffer.from(event({ choices }));
    const reader = new ModeratedReader(passing(), new WordCheck(), true);
    const began = readCpuMs();
    reader.push(bytes);
    return readCpuMs() - began;
  };
  const tries = Array.from({ length: 4 }, () => ({ running: measure(1), ended: measure(600) }));
  const smallest = (of: 'running' | 'ended'): number => Math.min(...tries.map((one) => one[of]));
  // When each piece checked all running texts, it was twice as much.
  expect(smallest('running') / smallest('ended')).toBeLessThan(1.5);
});
