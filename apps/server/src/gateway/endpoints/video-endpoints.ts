/** `GET` and `DELETE /v1/videos…`. https://platform.openai.com/docs/api-reference/videos */
import type { DialectId } from '@switchyard/relay';
import type { TaskRow } from '../../tasks/tasks.ts';
import { JsonPage, parsePage } from '../http/openai-list-page.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import {
  encodeTaskResponse,
  readOwnTasks,
  type TaskEndpointParts,
  type TaskEndpointRequest,
} from './read-own-tasks.ts';
import { type SendArtifactParts, sendArtifact } from './send-artifact.ts';

export interface VideoEndpointsParts extends TaskEndpointParts, SendArtifactParts {}

const path = /^\/v1\/videos(?:\/([\w-]{1,100})(\/content)?)?$/;
const generationPath = /^\/v1\/video\/generations\/([\w-]{1,100})$/;
const formats: readonly DialectId[] = ['openai-videos', 'openai-video-remix'];
const withContent: readonly DialectId[] = [...formats, 'video-generations'];
/** Path of a video's content, which has variants. */
const openaiContent = /^\/.*\/content$/;
const variants = new Set(['video', 'thumbnail', 'spritesheet']);
const PAGE_MAX = 100;
const PAGE_DEFAULT = 20;

export function isVideoEndpoint(method: string, address: string): boolean {
  return method === 'GET'
    ? path.test(address) || generationPath.test(address)
    : method === 'DELETE' && path.test(address);
}

/** @returns JSON; undefined once the video itself was sent. @throws RelayError */
export async function handleVideo(
  parts: VideoEndpointsParts,
  principal: Principal,
  request: TaskEndpointRequest,
): Promise<string | undefined> {
  const { message } = request;
  const generation = generationPath.exec(request.path)?.[1];
  const [, id = generation, content] = path.exec(request.path) ?? [];
  if (id === undefined) return listVideos(parts, principal, request);
  const task = await parts.tasks.find(principal.user.id, id);
  const shown = generation === undefined && content === undefined ? formats : withContent;
  if (task === undefined || !shown.includes(task.client_format))
    throw new RelayError('not_found', `There is no video ${id}.`);
  if (content !== undefined) return sendVideo(parts, request, task);
  if (message.method !== 'DELETE') return encodeTaskResponse(parts, task, request);
  if (task.ended_at === null)
    throw new RelayError('invalid_request', 'A video can be deleted only after it has completed or failed.');
  await parts.tasks.remove(task.id);
  return JSON.stringify({ id, object: 'video.deleted', deleted: true });
}

async function sendVideo(parts: VideoEndpointsParts, request: TaskEndpointRequest, task: TaskRow): Promise<undefined> {
  const [work] = parts.tasks.present(task).works;
  if (task.status !== 'succeeded' || work === undefined)
    throw new RelayError('not_found', 'This video is not ready, or its generation failed.');
  const variant = request.query.get('variant') ?? '';
  const isChosen = variants.has(variant) && openaiContent.test(work.at ?? '');
  const query = isChosen ? `?variant=${variant}` : '';
  await sendArtifact(parts, request, { task, index: 0, query, followsRedirects: true });
}

async function listVideos(
  parts: VideoEndpointsParts,
  { user }: Principal,
  request: TaskEndpointRequest,
): Promise<string> {
  const page = parsePage(request.query, PAGE_DEFAULT, PAGE_MAX);
  const ids = await parts.tasks.listIds(user.id, formats, page);
  const list = new JsonPage(page);
  for await (const { task, encode } of readOwnTasks(parts, user.id, ids, request)) {
    list.add(task.id, await encode());
    if (list.isFull) break;
  }
  return list.toJson();
}
