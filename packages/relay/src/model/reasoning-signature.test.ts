import { describe, expect, it } from 'vitest';
import { decodeSignature, encodeSignature, type ReasoningSignature } from './reasoning-signature.ts';

const own = { origin: 'openai-chat', kind: 'signature' } as const;
const foreign: ReasoningSignature = { origin: 'anthropic-messages', kind: 'redacted', value: 'EqQB.x/y+z==' };

describe('a reasoning signature', () => {
  it('round-trips through another dialect', () => {
    expect(decodeSignature(encodeSignature(foreign, 'openai-chat'), own)).toEqual(foreign);
  });

  it('writes a reasoning signature unchanged in its own dialect', () => {
    expect(encodeSignature({ ...foreign, origin: 'openai-chat' }, 'openai-chat')).toBe(foreign.value);
    expect(decodeSignature('abc', own)).toEqual({ ...own, value: 'abc' });
  });

  it('reads a signature of an unknown dialect as plain text', () => {
    const text = 'switchyard.nobody.signature.abc';
    expect(decodeSignature(text, own)).toEqual({ ...own, value: text });
  });
});
