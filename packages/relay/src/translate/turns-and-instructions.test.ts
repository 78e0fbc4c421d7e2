import { expect, it } from 'vitest';
import { convertSystemTurns } from './turns-and-instructions.ts';

it('converts instructions during a conversation to marked user texts', () => {
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
