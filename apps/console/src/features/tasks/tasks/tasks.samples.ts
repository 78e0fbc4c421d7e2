/** Wire responses of the task routes, for tests. */
import type { task } from '@switchyard/contract/tasks/tasks';
import type { z } from 'zod';

type WireTask = z.input<typeof task>;

export function wireTask(id: string, more: Partial<WireTask> = {}): WireTask {
  return {
    id,
    platform: 'videos',
    action: 'video',
    status: 'running',
    progress: 40,
    model_name: 'sora-2',
    prompt: 'a cat walks',
    prompt_en: '',
    works: [],
    fail_reason: '',
    expected: 200_000,
    quota: null,
    request_id: '1m7xxfbwe0000ttn0p',
    created_at: 1_700_000_000,
    started_at: 1_700_000_002,
    ended_at: null,
    user_id: 7,
    username: 'ada',
    token_id: 3,
    token_name: 'ci',
    group: 'default',
    channel: { id: 5, name: 'films' },
    upstream_id: 'video_1',
    ...more,
  };
}
