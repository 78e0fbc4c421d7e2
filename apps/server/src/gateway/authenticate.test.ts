import { describe, expect, test } from 'vitest';
import { credentialsIn } from './authenticate.ts';

describe('credentialsIn', () => {
  test.each([
    ['Bearer sk-1', 'sk-1'],
    ['bearer sk-1', 'sk-1'],
    ['BEARER sk-1', 'sk-1'],
    ['bEaReR   sk-1', 'sk-1'],
    [' Bearer\tsk-1 ', 'sk-1'],
    ['sk-1', 'sk-1'],
    ['bearer-of-news', 'bearer-of-news'],
    ['Bearer', ''],
    ['bearer ', ''],
    ['', ''],
    [undefined, undefined],
  ])('reads the header %j as the credentials %j', (header, credentials) => {
    expect(credentialsIn(header)).toBe(credentials);
  });
});
