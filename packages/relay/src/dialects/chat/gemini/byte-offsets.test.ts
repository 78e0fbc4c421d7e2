import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteOffsets } from './byte-offsets.ts';

it('converts every position, however the text is split', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (pieces) => {
      const offsets = new ByteOffsets();
      for (const piece of pieces) offsets.add(piece);
      const text = pieces.join('');
      let units = 0;
      for (const character of text) {
        const bytes = Buffer.byteLength(text.slice(0, units));
        expect(offsets.bytesOf(units)).toBe(bytes);
        expect(offsets.unitsOf(bytes)).toBe(units);
        units += character.length;
      }
      expect(offsets.unitsOf(Number.MAX_SAFE_INTEGER)).toBe(text.length);
    }),
  );
});
