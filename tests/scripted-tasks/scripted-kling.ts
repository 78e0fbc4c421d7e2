/**
 * Kling's videos, as documented at https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo
 * A video waits until the test completes it.
 */
import {
  type Reply,
  startTestVendor,
  type TestVendor,
  type VendorRequest,
} from '../../apps/server/src/testing/simulated-vendor.ts';

export interface ScriptedKlingTask {
  task_id: string;
  task_status: 'submitted' | 'processing' | 'succeed' | 'failed';
  task_status_msg: string;
  created_at: number;
  updated_at: number;
  task_result?: { videos: { id: string; url: string; duration: string }[] };
}

export interface KlingVendor extends TestVendor {
  tasks: Map<string, ScriptedKlingTask>;
  submissions: { path: string; body: Record<string, unknown> }[];
  getOnlyTask(): ScriptedKlingTask;
  /** Completes the only open task. @param url address of the video; default: at this vendor */
  completeTask(seconds: string, url?: string): void;
}

export const VIDEO_BYTES = 'the bytes of a film';

export async function startKlingVendor(key = 'kling-key'): Promise<KlingVendor> {
  const films = new Map<string, ScriptedKlingTask>();
  const orders: KlingVendor['submissions'] = [];
  /** Task ids are unique, even without a reset. */
  let count = 0;
  const envelope = (data: unknown): Reply => ({ json: { code: 0, message: 'SUCCEED', request_id: 'r', data } });
  const answer = ({ method, target, headers, body }: VendorRequest): Reply => {
    if (target === '/film.mp4') return { headers: { 'content-type': 'video/mp4' }, text: VIDEO_BYTES };
    if (headers.authorization !== `Bearer ${key}`)
      return { status: 401, json: { code: 1000, message: 'Authorization is invalid' } };
    const [, kind = '', id] = /^\/v1\/videos\/([\w-]+)(?:\/([\w-]+))?$/.exec(target) ?? [];
    if (method === 'POST' && kind !== '' && id === undefined) {
      orders.push({ path: target, body: JSON.parse(body) as Record<string, unknown> });
      const video: ScriptedKlingTask = {
        task_id: `film-${(count += 1)}`,
        task_status: 'submitted',
        task_status_msg: '',
        created_at: 1_722_769_557_708,
        updated_at: 1_722_769_557_708,
      };
      films.set(`${kind}/${video.task_id}`, video);
      return envelope({ task_id: video.task_id, task_status: video.task_status });
    }
    const film = films.get(`${kind}/${id}`);
    return film === undefined ? { status: 404, json: { code: 1203, message: 'not found' } } : envelope(film);
  };
  const vendor = await startTestVendor({}, answer);
  const only = (): ScriptedKlingTask => {
    const [video, ...more] = films.values();
    if (video === undefined || more.length > 0) throw new Error(`there are ${films.size} films`);
    return video;
  };
  return {
    ...vendor,
    tasks: films,
    submissions: orders,
    getOnlyTask: only,
    completeTask(seconds, url = `${vendor.url}/film.mp4`) {
      Object.assign(only(), { task_status: 'succeed', task_result: { videos: [{ id: 'v', url, duration: seconds }] } });
    },
  };
}
