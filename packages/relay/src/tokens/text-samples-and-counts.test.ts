import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWideCharacters, SAMPLE_MAX_BYTES, TextSample } from './text-samples-and-counts.ts';

const text = fc.string({ unit: 'binary', maxLength: 400 });

describe('TextSample', () => {
  it('keeps the start of the text, regardless of its pieces', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 100 }), (pieces) => {
        const sample = new TextSample();
        for (const piece of pieces) sample.add(piece);
        const whole = pieces.map((piece) => piece.toWellFormed()).join('');
        expect(whole.startsWith(sample.toString())).toBe(true);
        if (Buffer.byteLength(whole) < SAMPLE_MAX_BYTES - 6) expect(sample.toString()).toBe(whole);
      }),
    );
  });

  it('keeps a JSON string’s content valid, wherever the limit cuts it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.array(fc.constantFrom('\\', '"', '\n', '\u0001', 'é', '文', '😀', 'a'), { minLength: 20, maxLength: 60 }),
        (before, tail) => {
          const inside = (value: string): string => Buffer.from(JSON.stringify(value).slice(1, -1)).toString('latin1');
          const start = 'x'.repeat(SAMPLE_MAX_BYTES - before);
          const sample = new TextSample();
          sample.addEscaped(inside(start));
          sample.addEscaped(inside(tail.join('')));
          const read: unknown = JSON.parse(`"${sample.toString()}"`);
          expect(`${start}${tail.join('')}`.startsWith(String(read).replace(/\ufffd+$/, ''))).toBe(true);
        },
      ),
    );
  });

  it('keeps the start of a piece that exceeds the limit', () => {
    const sample = new TextSample();
    sample.add('y'.repeat(100_000));
    sample.add('more');
    expect(sample.toString()).toBe('y'.repeat(SAMPLE_MAX_BYTES));
  });
});

describe('countWideCharacters', () => {
  it('counts up to 100,000 characters exactly', () => {
    const text = `${'字'.repeat(99)}a`.repeat(1_000);
    expect(countWideCharacters(text)).toBe(99_000);
  });

  it.each([1_600, 4_000])('finds the share of a long text that repeats every 100 characters: %i times', (times) => {
    for (let rotated = 0; rotated < 100; rotated += 20) {
      const text = `${'字'.repeat(rotated)}a${'字'.repeat(99 - rotated)}`.repeat(times);
      const share = countWideCharacters(text) / text.length;
      expect(share).toBeGreaterThan(0.97);
      expect(share).toBeLessThanOrEqual(1);
    }
  });

  it('counts nothing without wide characters', () => {
    expect(countWideCharacters('aé'.repeat(200_000))).toBe(0);
  });
});
