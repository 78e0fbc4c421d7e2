import { expect, test } from 'vitest';
import { mapVoice } from './voices.ts';

const usual = { alloy: 'ava', nova: 'emma' };

test.each([
  ['', 'alloy', 'ava'],
  ['', 'somebody', 'somebody'],
  ['', 'constructor', 'constructor'],
  ['alloy=adam, nova = x|Boy', 'alloy', 'adam'],
  ['alloy=adam, nova = x|Boy', 'nova', 'x|Boy'],
  ['alloy=adam\nmine=1', 'mine', '1'],
  ['alloy=,alloy', 'alloy', 'ava'],
])('with the option %j the voice %s is %s', (voices, asked, voice) => {
  expect(mapVoice({ options: { voices } }, asked, usual)).toBe(voice);
});
