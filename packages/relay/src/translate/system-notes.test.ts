import { expect, it } from 'vitest';
import { convertSystemTurns } from './system-notes.ts';

it('instructions in the middle of a conversation become marked texts of the user', () => {
  const text = { type: 'text', text: 'be brief' } as const;
  expect(
    convertSystemTurns([
      { role: 'user', parts: [text] },
      { role: 'system', parts: [text] },
    ]),
  ).toEqual([
    { role: 'user', parts: [text] },
    { role: 'user', parts: [{ type: 'text', text: '<system>\nbe brief\n</system>' }] },
  ]);
});
