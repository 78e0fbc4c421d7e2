import { expect, it } from 'vitest';
import { requestChanges } from './channel-nested-settings.ts';

it.each(['stream', 'model', 'stream_options.include_usage', 'a b', 'a..b', ''])(
  'refuses a body change of %j',
  (path) => {
    for (const change of [{ set: { [path]: 1 } }, { remove: [path] }, { rename: { user: path } }])
      expect(requestChanges.safeParse({ bodies: [change] }).success).toBe(false);
  },
);
