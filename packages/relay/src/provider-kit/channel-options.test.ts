import { expect, test } from 'vitest';
import { mapVoice } from './channel-options.ts';

const usual = { alloy: 'ava', nova: 'emma' };

test.each([
  ['', 'alloy', 'ava'],
  ['', 'somebody', 'somebody'],
  ['', 'constructor', 'constructor'],
  ['alloy=adam, nova = x|Boy', 'alloy', 'adam'],
  ['alloy=adam, nova = x|Boy', 'nova', 'x|Boy'],
  ['alloy=adam\nmine=1', 'mine', '1'],
  ['alloy=,alloy', 'alloy', 'ava'],
])('maps with the option %j the voice %s to %s', (voices, asked, voice) => {
  expect(mapVoice({ options: { voices } }, asked, usual)).toBe(voice);
});
