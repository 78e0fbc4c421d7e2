import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { expect, test } from 'vitest';
import type { StoredStatusUpdate, TaskRow } from './task-store.ts';
import { presentTask } from './task-view.ts';

const OURS = '0ur0wn1d0ur0wn1d';
const SITE = 'https://gateway.test';

function row(upstreamId: string, news: StoredStatusUpdate, failure = ''): TaskRow {
  return {
    id: OURS,
    request_id: 'r',
    user_id: 1,
    api_key_id: null,
    channel_id: 1,
    channel_key_id: 'k',
    group_symbol: 'default',
    client_format: 'suno',
    upstream_format: 'suno',
    upstream_id: upstreamId,
    origin_id: null,
    action: 'music',
    model: 'm',
    upstream_model: 'm',
    status: 'succeeded',
    progress: 100,
    prompt: '',
    request: '{}',
    news: JSON.stringify(news),
    failure,
    expected: 0,
    charge: 0,
    terms: '{}',
    notify_url: '',
    notify_at: null,
    notify_tries: 0,
    notify_site: '',
    created_at: 0,
    started_at: null,
    ended_at: 1,
    deadline_at: 0,
    next_look_at: 0,
    failed_looks: 0,
  };
}

test.each(['task-of-the-vendor', '1700000000000123', 'text2video/1700000000000123'])(
  'never shows the vendor’s id %s, wherever the vendor writes it',
  (upstreamId) => {
    const vendorId = upstreamId.split('/').at(-1) ?? '';
    const vendorStatus = {
      task_id: vendorId,
      number: Number(vendorId),
      buttons: [
        { customId: `MJ::JOB::upsample::1::${vendorId}`, deep: { list: [vendorId, `/image/${vendorId}.png`] } },
      ],
    };
    const works = [{ kind: 'image', at: `https://vendor.test/${vendorId}.png` }] as const;
    const view = presentTask(row(upstreamId, { works, said: vendorStatus }, `Task ${vendorId} failed.`), SITE, true);
    expect(JSON.stringify(view.said) + view.failure).not.toContain(vendorId);
    expect(view.said).toMatchObject({ task_id: OURS, buttons: [{ customId: `MJ::JOB::upsample::1::${OURS}` }] });
    expect(view.works[0]?.address).toBeUndefined();
  },
);

test('leaves words and numbers unchanged that only resemble a short id', () => {
  const vendorStatus = { index: 12, label: 'U12', task_id: '12' };
  expect(presentTask(row('12', { works: [], said: vendorStatus }), SITE, true).said).toEqual({
    ...vendorStatus,
    task_id: OURS,
  });
});

test('gives an address away that does not name the vendor’s id', () => {
  const works = [{ kind: 'image', at: 'https://vendor.test/a.png' }] as const;
  const [work] = presentTask(row('task-of-the-vendor', { works, said: {} }), SITE, true).works;
  expect(work?.address).toBe('https://vendor.test/a.png');
});

test('shows no address with a longer host than exists, and takes no time for it', () => {
  const han = Array.from({ length: 4_900 }, (_, nth) => String.fromCodePoint(0x4e00 + nth)).join('');
  const works = Array.from({ length: 40 }, () => ({ kind: 'image', at: `https://${han}.com/` }) as const);
  const task = row('task-of-the-vendor', { works, said: {} });
  const readCpuMs = startCpuTimer();
  const view = presentTask(task, SITE, true);
  expect(readCpuMs()).toBeLessThan(50);
  expect(view.works.map(({ address }) => address)).toEqual(works.map(() => undefined));
});
