/**
 * Vendor of videos, as OpenAI documents it: https://platform.openai.com/docs/api-reference/videos
 * A video waits until the test completes it.
 */
import {
  startTestVendor,
  type TestVendor,
  type VendorRequest,
} from '../../apps/server/src/testing/simulated-vendor.ts';

export interface ScriptedVideo {
  id: string;
  model: string;
  prompt: string;
  seconds: string;
  size: string;
  status: 'queued' | 'in_progress' | 'completed' | 'failed';
  progress: number;
  error: { code: string; message: string } | null;
  remixed_from_video_id: string | null;
}

export interface VideoVendor extends TestVendor {
  videos: Map<string, ScriptedVideo>;
  /** Bodies of the submissions, as received. */
  submissions: VendorRequest[];
  getOnlyVideo(): ScriptedVideo;
}

export const VIDEO_BYTES = Buffer.from('the bytes of a film');

export async function startVideoVendor(key = 'sk-upstream'): Promise<VideoVendor> {
  const videos = new Map<string, ScriptedVideo>();
  const orders: VendorRequest[] = [];
  const refused = { status: 401, json: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } } };
  const missing = { status: 404, json: { error: { message: 'Video not found', type: 'invalid_request_error' } } };
  const shown = (video: ScriptedVideo) => ({ json: { object: 'video', created_at: 1_700_000_000, ...video } });

  const take = (request: VendorRequest, from: ScriptedVideo | undefined) => {
    orders.push(request);
    const isForm = request.headers['content-type']?.startsWith('multipart/') === true;
    const field = (name: string): string | undefined =>
      new RegExp(`name="${name}"\\r\\n\\r\\n([^\\r]*)`).exec(request.body)?.[1];
    const fields = isForm
      ? { model: field('model'), prompt: field('prompt'), seconds: field('seconds'), size: field('size') }
      : (JSON.parse(request.body) as Partial<ScriptedVideo>);
    const video: ScriptedVideo = {
      id: `video_of_vendor_${videos.size + 1}_${process.hrtime.bigint()}`,
      model: fields.model ?? from?.model ?? 'sora-2',
      prompt: fields.prompt ?? '',
      seconds: fields.seconds ?? from?.seconds ?? '4',
      size: fields.size ?? from?.size ?? '720x1280',
      status: 'queued',
      progress: 0,
      error: null,
      remixed_from_video_id: from?.id ?? null,
    };
    videos.set(video.id, video);
    return shown(video);
  };

  const vendor = await startTestVendor({}, (request) => {
    if (request.headers.authorization !== `Bearer ${key}`) return refused;
    const [path = ''] = request.target.split('?');
    const [, id = '', action] = /^\/v1\/videos(?:\/([\w]+)(?:\/(\w+))?)?$/.exec(path) ?? [];
    const video = videos.get(id);
    if (request.method === 'POST' && path === '/v1/videos') return take(request, undefined);
    if (video === undefined) return missing;
    if (request.method === 'POST' && action === 'remix') return take(request, video);
    if (action === undefined) return shown(video);
    if (action !== 'content' || video.status !== 'completed') return missing;
    return { headers: { 'content-type': 'video/mp4' }, text: VIDEO_BYTES.toString() };
  });
  return {
    ...vendor,
    videos,
    submissions: orders,
    getOnlyVideo() {
      const [video, ...more] = videos.values();
      if (video === undefined || more.length > 0) throw new Error(`there are ${videos.size} videos`);
      return video;
    },
  };
}
