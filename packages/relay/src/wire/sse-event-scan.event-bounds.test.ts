import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfEvent, startOfEvent } from './sse-event-scan.ts';

test('finds an event from any position in its lines, with any line ends', () => {
  const line = fc.constantFrom('data: {"a":1}', 'event: b', ': c', 'data: \r');
  const lineEnd = fc.constantFrom('\n', '\r\n');
  const events = fc.array(fc.tuple(fc.array(line, { minLength: 1, maxLength: 3 }), lineEnd), { minLength: 1 });
  fc.assert(
    fc.property(events, (all) => {
      const texts = all.map(([lines, end]) => lines.map((text) => text + end).join('') + end);
      const run = texts.join('');
      let start = 0;
      for (const text of texts) {
        const end = start + text.length;
        for (let at = start; run[at] !== '\n' && run[at] !== '\r'; at++) {
          expect(startOfEvent(run, at)).toBe(start);
          expect(endOfEvent(run, at)).toBe(end);
        }
        start = end;
      }
    }),
  );
});

test('ends a truncated event at the end of the text', () => {
  expect(endOfEvent('data: 1\n\ndata: 2\n', 10)).toBe(17);
  expect(startOfEvent('\n\ndata: 1', 4)).toBe(2);
  expect(startOfEvent('\ndata: 1', 4)).toBe(1);
});
