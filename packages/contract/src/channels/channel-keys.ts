/** Keys of a channel, which uses them round-robin. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { channelId } from '../ids.ts';
import { emptyData, LARGE_BODY_BYTES, routes } from '../route.ts';
import { channelStatus } from '../wire-enums.ts';
import { testResult } from './channel-health.ts';

const byId = z.object({ id: channelId });
const byKey = byId.extend({ key: z.string().regex(/^[\w-]{16}$/) });

/** Key of a channel, with an opaque name. */
export const channelKey = z.object({
  id: z.string(),
  /** Last four characters of the key. */
  hint: z.string(),
  /** `disabled` by an administrator, `auto-disabled` after the vendor refused its account. */
  status: channelStatus,
  /** Reason of the automatic deactivation; empty otherwise. */
  reason: z.string(),
  /** Time of the deactivation; 0 for an enabled key. */
  since: seconds,
  /** End of the longest cooldown of the key for a model; 0 without one. */
  rests_until: seconds,
});
export type ChannelKey = z.output<typeof channelKey>;

export const channelKeys = routes({
  list: {
    method: 'GET',
    path: '/api/channel/:id/keys',
    access: 'channels.read',
    summary: "List a channel's keys by their last characters, with their health",
    params: byId,
    answer: z.array(channelKey),
  },
  add: {
    method: 'POST',
    path: '/api/channel/:id/keys',
    access: 'channels.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Add one key per line, except existing keys; returns all keys',
    params: byId,
    body: z.object({ key: z.string().trim().min(1).max(65_536) }),
    answer: z.array(channelKey),
  },
  remove: {
    method: 'DELETE',
    path: '/api/channel/:id/keys/:key',
    access: 'channels.write',
    summary: 'Delete a key, except the last one',
    params: byKey,
    answer: emptyData,
  },
  switch: {
    method: 'PUT',
    path: '/api/channel/:id/keys/:key',
    access: 'channels.write',
    summary: 'Enable or disable a key',
    params: byKey,
    body: z.object({ in_use: z.boolean() }),
    answer: channelKey,
  },
  test: {
    method: 'POST',
    path: '/api/channel/:id/keys/:key/test',
    access: 'channels.write',
    summary: 'Test this key with one short request; not billed',
    params: byKey,
    query: z.object({ model: z.string().max(128).optional() }),
    answer: testResult,
  },
});
