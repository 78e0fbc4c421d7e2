/**
 * A midjourney-proxy, as documented at https://github.com/novicezk/midjourney-proxy
 * An image waits until the test completes it.
 */
import { type Reply, startTestVendor, type TestVendor } from '../../apps/server/src/testing/simulated-vendor.ts';

export interface ScriptedMidjourneyTask {
  id: string;
  action: string;
  status: 'NOT_START' | 'SUBMITTED' | 'MODAL' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE' | 'CANCEL';
  progress: string;
  prompt: string;
  promptEn: string;
  imageUrl: string;
  failReason: string;
  buttons: { customId: string; emoji: string; label: string; type: number; style: number }[];
  properties: Record<string, unknown>;
  submitTime: number;
}

export interface MidjourneyVendor extends TestVendor {
  tasks: Map<string, ScriptedMidjourneyTask>;
  /** Path and body of each submission. */
  submissions: { path: string; body: Record<string, unknown> }[];
  /** Number of ids in each request about several tasks. */
  asked: string[];
  pollSizes: number[];
  /** Every button opens a modal, as with accounts in remix mode. */
  setRemixMode(on: boolean): void;
  /** Modal submissions are accepted at once, and confirmed when this resolves, if at all. */
  delayModalStatus(told: () => Promise<'told' | 'lost'>): void;
  /** Responses to the next submissions. */
  setRefusal(answer: { code: number; description: string } | undefined): void;
  getOnlyTask(): ScriptedMidjourneyTask;
  getLastTask(): ScriptedMidjourneyTask;
  /** Completes the last task. */
  completeTask(drawing?: ScriptedMidjourneyTask): void;
}

export const IMAGE_BYTES = 'the bytes of a picture';

export async function startMidjourneyVendor(secret = 'mj-secret'): Promise<MidjourneyVendor> {
  const drawings = new Map<string, ScriptedMidjourneyTask>();
  const orders: MidjourneyVendor['submissions'] = [];
  const questions: number[] = [];
  let refusal: { code: number; description: string } | undefined;
  let nth = 0;

  let remixing = false;
  let modalsTold = (): Promise<'told' | 'lost'> => Promise.resolve('told');

  const order = async (path: string, body: Record<string, unknown>): Promise<Reply> => {
    orders.push({ path, body });
    if (refusal !== undefined) return { json: refusal };
    const of = drawings.get(String(body['taskId']));
    if (path.endsWith('/modal') && of !== undefined) {
      Object.assign(of, { status: 'SUBMITTED', prompt: body['prompt'] });
      if ((await modalsTold()) === 'lost') return 'hang-up';
      return { json: { code: 1, description: 'Submit success', result: of.id } };
    }
    nth += 1;
    const id = `1700000000${process.hrtime.bigint() % 100_000n}${nth}`;
    const button = String(body['customId']);
    const opensWindow = button.startsWith('MJ::CustomZoom') || (remixing && button.startsWith('MJ::JOB'));
    drawings.set(id, {
      id,
      action: 'IMAGINE',
      status: opensWindow ? 'MODAL' : 'SUBMITTED',
      progress: '0%',
      prompt: typeof body['prompt'] === 'string' ? body['prompt'] : '',
      promptEn: '',
      imageUrl: '',
      failReason: '',
      buttons: [],
      properties: {},
      submitTime: Date.now(),
    });
    return opensWindow
      ? { json: { code: 21, description: 'Waiting for window confirm', result: id } }
      : { json: { code: 1, description: 'Submit success', result: id, properties: { instance: 'of-the-proxy' } } };
  };

  const vendor = await startTestVendor({}, (request) => {
    const [path = ''] = request.target.split('?');
    if (path === '/picture.png') return { headers: { 'content-type': 'image/png' }, text: IMAGE_BYTES };
    if (request.headers['mj-api-secret'] !== secret) return { status: 401, json: { description: 'unauthorized' } };
    const body = request.body === '' ? {} : (JSON.parse(request.body) as Record<string, unknown>);
    if (path === '/mj/submit/upload-discord-images') {
      orders.push({ path, body });
      return { json: refusal ?? { code: 1, description: 'success', result: [`${vendor.url}/picture.png`] } };
    }
    if (request.method === 'POST' && /^\/mj\/(submit|insight-face)\//.test(path)) return order(path, body);
    if (path === '/mj/task/list-by-condition') {
      const ids = body['ids'] as string[];
      questions.push(ids.length);
      return { json: ids.flatMap((id) => drawings.get(id) ?? []) };
    }
    if (path.endsWith('/image-seed')) return { json: { code: 1, description: 'success', result: '1234567' } };
    return { status: 404, json: { description: 'not found' } };
  });

  const last = (): ScriptedMidjourneyTask => {
    const drawing = [...drawings.values()].at(-1);
    if (drawing === undefined) throw new Error('nothing was ordered');
    return drawing;
  };

  return {
    ...vendor,
    getLastTask: last,
    tasks: drawings,
    submissions: orders,
    pollSizes: questions,
    setRemixMode(on) {
      remixing = on;
    },
    delayModalStatus(told) {
      modalsTold = told;
    },
    setRefusal(answer) {
      refusal = answer;
    },
    getOnlyTask() {
      const [drawing, ...more] = drawings.values();
      if (drawing === undefined || more.length > 0) throw new Error(`there are ${drawings.size} drawings`);
      return drawing;
    },
    completeTask(drawing = last()) {
      Object.assign(drawing, {
        status: 'SUCCESS',
        progress: '100%',
        promptEn: 'in English',
        imageUrl: `${vendor.url}/picture.png`,
        buttons: [
          { customId: `MJ::JOB::upsample::1::${drawing.id}`, emoji: '', label: 'U1', type: 2, style: 2 },
          { customId: `MJ::CustomZoom::${drawing.id}`, emoji: '', label: 'Custom Zoom', type: 2, style: 2 },
        ],
        properties: { finalPrompt: 'as it was drawn' },
      });
    },
  };
}
