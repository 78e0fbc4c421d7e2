/**
 * A Suno API proxy, as documented at https://github.com/Suno-API/Suno-API
 * A song waits until the test completes it.
 */
import { type Reply, startTestVendor, type TestVendor } from '../../apps/server/src/testing/simulated-vendor.ts';

export interface ScriptedSunoTask {
  task_id: string;
  action: 'MUSIC' | 'LYRICS';
  status: 'NOT_START' | 'SUBMITTED' | 'QUEUED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
  fail_reason: string;
  progress: string;
  data: unknown;
}

export interface SunoVendor extends TestVendor {
  tasks: Map<string, ScriptedSunoTask>;
  submissions: { path: string; body: Record<string, unknown> }[];
  getLastTask(): ScriptedSunoTask;
  /** Completes the last task. @param seconds length of each of its two songs */
  completeMusic(seconds: number): void;
  completeLyrics(text: string): void;
}

export async function startSunoVendor(key = 'suno-key'): Promise<SunoVendor> {
  const songs = new Map<string, ScriptedSunoTask>();
  const orders: SunoVendor['submissions'] = [];
  const order = (path: string, body: Record<string, unknown>): Reply => {
    orders.push({ path, body });
    const task_id = crypto.randomUUID();
    const action = path.endsWith('/lyrics') ? 'LYRICS' : 'MUSIC';
    songs.set(task_id, { task_id, action, status: 'SUBMITTED', fail_reason: '', progress: '0%', data: null });
    return { json: { code: 'success', message: '', data: task_id } };
  };
  const vendor = await startTestVendor({}, (request) => {
    if (request.headers.authorization !== `Bearer ${key}`) return { status: 401, json: { code: 'unauthorized' } };
    const body = request.body === '' ? {} : (JSON.parse(request.body) as Record<string, unknown>);
    if (request.target.startsWith('/suno/submit/')) return order(request.target, body);
    if (request.target !== '/suno/fetch') return { status: 404, json: { code: 'not_found' } };
    const ids = body['ids'] as string[];
    return { json: { code: 'success', message: '', data: ids.flatMap((id) => songs.get(id) ?? []) } };
  });
  const last = (): ScriptedSunoTask => {
    const song = [...songs.values()].at(-1);
    if (song === undefined) throw new Error('nothing was ordered');
    return song;
  };
  const done = { status: 'SUCCESS', progress: '100%' };
  return {
    ...vendor,
    tasks: songs,
    submissions: orders,
    getLastTask: last,
    completeMusic(seconds) {
      const song = (nth: number) => ({
        id: `clip-${nth}`,
        user_id: 'the account of the proxy',
        title: 'Cat',
        audio_url: `${vendor.url}/${nth}.mp3`,
        image_url: `${vendor.url}/${nth}.png`,
        metadata: { tags: 'pop', prompt: 'la la', duration: seconds },
      });
      Object.assign(last(), { ...done, data: [song(1), song(2)] });
    },
    completeLyrics(text) {
      Object.assign(last(), { ...done, data: { id: 'x', text, title: 'Cat', status: 'complete' } });
    },
  };
}
