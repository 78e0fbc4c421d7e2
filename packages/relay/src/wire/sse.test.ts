import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSseEvents, SseSplitter } from './sse.ts';

describe('SseSplitter', () => {
  it('counts the lines of an incomplete event', () => {
    const splitter = new SseSplitter();
    splitter.push(Buffer.from('data: 1\n\n:\n:\ndata:'));
    splitter.push(Buffer.from(' 2\n:\n'));
    expect(splitter.heldLines).toBe(4);
    splitter.push(Buffer.from('\n'));
    expect(splitter.heldLines).toBe(0);
  });

  it('forwards a chunk that ends with its event without a copy', () => {
    const chunk = Buffer.from('data: 1\n\n');
    expect(new SseSplitter().push(chunk)).toBe(chunk);
  });

  it('holds an event until its empty line arrives', () => {
    const splitter = new SseSplitter();
    expect(splitter.push(Buffer.from('data: 1\n\ndata: 2\r\n')).toString()).toBe('data: 1\n\n');
    expect(splitter.push(Buffer.from('\r')).toString()).toBe('');
    expect(splitter.push(Buffer.from('\ndata: 3')).toString()).toBe('data: 2\r\n\r\n');
    expect(splitter.end().toString()).toBe('data: 3');
  });

  it('loses and reorders nothing, and cuts only between events, however the bytes are split', () => {
    const line = fc.constantFrom('data: a', 'data:b', ': c', 'event: d', 'data: 中🐻');
    const ending = fc.constantFrom('\n', '\r\n');
    const stream = fc.array(fc.tuple(fc.array(line, { minLength: 1, maxLength: 3 }), ending), { maxLength: 6 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(40), { maxLength: 12 }), (events, sizes) => {
        const bytes = Buffer.from(events.map(([lines, end]) => lines.join(end) + end + end).join(''));
        const splitter = new SseSplitter();
        const runs = chunksOf(bytes, sizes).map((chunk) => splitter.push(chunk));
        for (const run of runs) if (run.length > 0) expect(run.toString()).toMatch(/\n\r?\n$/);
        expect(Buffer.concat([...runs, splitter.end()]).equals(bytes)).toBe(true);
      }),
    );
  });
});

function chunksOf(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const size of sizes) chunks.push(bytes.subarray(at, (at += size)));
  return [...chunks, bytes.subarray(at)];
}

describe('parseSseEvents', () => {
  it('joins several data lines and skips comments, names and empty events', () => {
    const text = ': ping\n\nevent: x\ndata: {"a":\ndata:1}\n\nid: 4\n\ndata: last';
    expect(parseSseEvents(Buffer.from(text)).map(({ data }) => data)).toEqual(['{"a":\n1}', 'last']);
  });
});
