import { expect, test } from 'vitest';
import { createModelNameLimit } from './model-label-and-name-limit.ts';

/** Returns the 32 bits of FNV-1a, a hash without a key. */
function fnv1a(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash;
}

test('counts names that are chosen to have the same unkeyed hash', () => {
  const byHash = new Map<number, string>();
  const pairs: [string, string][] = [];
  for (let nth = 0; pairs.length < 5; nth += 1) {
    const name = `gpt-${(nth * 2_654_435_761).toString(36)}`;
    const earlier = byHash.get(fnv1a(name));
    if (earlier !== undefined) pairs.push([earlier, name]);
    byHash.set(fnv1a(name), name);
  }
  const limit = createModelNameLimit({ elapsed: () => 0 }, () => 'gpt-*');
  const user = { id: 1, role: 'user' } as const;
  for (const [one] of pairs) limit(user, one);
  for (let nth = pairs.length; nth < 1_000; nth += 1) limit(user, `other-${nth}`);
  for (const [one, other] of pairs) {
    limit(user, one);
    expect(() => limit(user, other)).toThrow('1000 different names');
  }
});
