/**
 * Task submissions of Kling's own clients, and the price name of each. Fields are read where each of the vendor's
 * paths expects them; ignored fields don't affect the price.
 * https://app.klingai.com/global/dev/document-api/apiReference/model/skillsMap
 */

import { describeValue } from '../../json/describe-value.ts';
import { type JsonObject, objectOf, textOf } from '../../json/json.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { TaskOrigin } from '../../model/task-types.ts';
import { pickDefinedFields, pickKnownFields, pickUncoveredFields } from '../../translate/pick-fields.ts';
import { listSeconds, matchOption, parseLength } from './video-dialect.ts';

export interface KlingSubmission {
  model: string;
  mode: string;
  seconds: number;
  hasSound: boolean;
}

interface KlingPath {
  /** Default model; absent if the vendor reads no model, mode and length. */
  modelDefault?: string;
  /** True if the fields are below `input`. */
  isNested?: true;
  /** Accepted fields that don't determine the price. */
  fields: readonly string[];
  /** Length of the video; absent if it is unknown in advance. */
  seconds?: number;
  /** True if `seconds` is a maximum; the vendor reports the actual length at the end. */
  isMaximum?: true;
  /** True if the task continues a video, which `video_id` names. */
  continuesVideo?: true;
}

/** Path of the task that extends a video. */
const EXTENSION = 'video-extend';
/** Model of the videos that can be extended if their request names none. */
const EXTENSION_MODEL_DEFAULT = 'kling-v1';
const shots = ['prompt', 'negative_prompt', 'cfg_scale', 'aspect_ratio'];
const paths: Readonly<Record<string, KlingPath>> = {
  text2video: { modelDefault: 'kling-v1', fields: [...shots, 'camera_control'] },
  image2video: {
    modelDefault: 'kling-v1',
    fields: [...shots, 'camera_control', 'image', 'image_tail', 'static_mask', 'dynamic_masks'],
  },
  'multi-image2video': { modelDefault: 'kling-v1-6', fields: [...shots, 'image_list'] },
  effects: { modelDefault: 'kling-v1-6', isNested: true, fields: ['image', 'images'] },
  [EXTENSION]: { fields: ['video_id', 'prompt', 'negative_prompt', 'cfg_scale'], seconds: 5, continuesVideo: true },
  // The length is that of the recording.
  'lip-sync': { fields: ['input'], seconds: 60, isMaximum: true, continuesVideo: true },
};
/** Id of a video in this gateway: the task's id and the video's number. */
const gatewayVideoId = /^([\w-]{1,100})-([1-9]\d?)$/;

/** Vendor's paths below `/v1/videos/` for task submissions. */
export const klingPaths: ReadonlySet<string> = new Set(Object.keys(paths));

export const klingModes = ['std', 'pro', 'master'];
const own = new Set(['model_name', 'mode', 'duration', 'sound', 'callback_url', 'external_task_id']);
const plainModel = /^[a-z0-9.-]{1,64}$/i;
const plainScene = /^[\w-]{1,64}$/;
const pricedName = /^kling-[\w-]+?_([a-z0-9.-]+)_(std|pro|master)(-sound)?_(\d+)$/i;

/** Returns the lengths that a model supports, in ascending seconds. */
export function listKlingLengths(model: string): number[] {
  return /^kling-v[12](?:-|$)/.test(model) ? [5, 10] : listSeconds(3, 15);
}

/** Returns whether the submission determines the length of the video. @throws InvalidRequestError */
export function hasFixedLength(path: string): boolean {
  return getPath(path).isMaximum !== true;
}

/** @throws InvalidRequestError */
export function readKlingSubmission(path: string, body: JsonObject): KlingSubmission {
  const { modelDefault, seconds = 5 } = getPath(path);
  if (modelDefault === undefined) return { model: '', mode: '', seconds, hasSound: false };
  const fields = readFields(path, body);
  const model = textOf(fields['model_name'] ?? modelDefault) ?? '';
  if (!plainModel.test(model))
    throw new InvalidRequestError(
      `model_name must be the name of a model, not ${describeValue(fields['model_name'])}.`,
      'model_name',
    );
  const length = parseLength(fields['duration'] ?? seconds);
  const lengths = listKlingLengths(model);
  if (length === undefined || !lengths.includes(length))
    throw new InvalidRequestError(
      `duration must be one of ${lengths.join(', ')} seconds, not ${describeValue(fields['duration'])}.`,
      'duration',
    );
  return {
    model,
    mode: matchOption(klingModes, fields['mode'] ?? 'std', 'mode'),
    seconds: length,
    hasSound: matchOption(['off', 'on'], fields['sound'] ?? 'off', 'sound') === 'on',
  };
}

/** Returns the price name, in One Hub's scheme for videos and a similar one for all others. @throws InvalidRequestError */
export function toKlingPriceName(path: string, body: JsonObject): string {
  const { model, mode, seconds, hasSound } = readKlingSubmission(path, body);
  const kind = priceKind(path, body);
  return model === '' ? kind : `${kind}_${model}_${mode}${hasSound ? '-sound' : ''}_${seconds}`;
}

/**
 * Returns the video of a client's task that a submission continues; undefined without one.
 * @throws InvalidRequestError for another video, which may be another user's at the vendor
 */
export function readKlingOrigin(path: string, body: JsonObject): { taskId: string; nth: number } | undefined {
  if (getPath(path).continuesVideo !== true) return undefined;
  const id = (path === 'lip-sync' ? objectOf(body['input']) : body)['video_id'];
  // Lip-sync also accepts a video by URL.
  if (id == null && path === 'lip-sync') return undefined;
  const [, taskId, nth] = gatewayVideoId.exec(textOf(id) ?? '') ?? [];
  if (taskId !== undefined) return { taskId, nth: Number(nth) - 1 };
  throw new InvalidRequestError('video_id must be the ID of a video from one of your tasks.', 'video_id');
}

/**
 * Returns the model and the mode of the video that a submission extends, for instance `kling-v1-6/pro`: the extension
 * has the same, and is billed by them. Empty for other submissions.
 * https://app.klingai.com/global/dev/document-api/apiReference/model/videoExtension
 * The vendor ignores some fields of the video's request, so that its price name or its own variant take precedence.
 * @param origin task of that video
 */
export function readSourceVariant(path: string, { model: name, request: source, usage }: TaskOrigin): string {
  if (path !== EXTENSION) return '';
  if (name === `kling-${EXTENSION}` && usage.imageVariant !== '') return usage.imageVariant;
  const [, pricedModel, pricedMode] = pricedName.exec(name) ?? [];
  if (pricedModel !== undefined && pricedMode !== undefined) return `${pricedModel}/${pricedMode}`;
  const model = textOf(source['model_name']) ?? textOf(source['model']) ?? EXTENSION_MODEL_DEFAULT;
  const named = textOf(source['mode'])?.toLowerCase();
  const mode = klingModes.find((known) => known === named) ?? 'std';
  return plainModel.test(model) ? `${model}/${mode}` : '';
}

/** Returns the body with the vendor's id of the continued video, and without other vendor ids. */
export function replaceVideoId(path: string, body: JsonObject, id: string | undefined): JsonObject {
  if (path !== 'lip-sync') return id === undefined ? body : { ...body, video_id: id };
  const { task_id: _task, ...input } = objectOf(body['input']);
  return { ...body, input: id === undefined ? input : { ...input, video_id: id } };
}

/**
 * Returns the vendor's body: the priced video and the fields that don't affect the price.
 * @param name channel's name for the price name, or a vendor's model
 */
export function encodeKlingBody(path: string, body: JsonObject, name: string, dropped: string[]): JsonObject {
  const { isNested, modelDefault, fields: known } = getPath(path);
  const fields = readFields(path, body);
  const kept = pickKnownFields(known, pickUncoveredFields(own, fields), dropped);
  if (modelDefault === undefined) return kept;
  const film = applyModelName(name, readKlingSubmission(path, body));
  const written = pickDefinedFields({
    ...kept,
    model_name: film.model,
    // Some models have one mode and no field for it; the vendor's default is the same mode.
    mode: film.mode === 'std' && fields['mode'] == null ? undefined : film.mode,
    duration: String(film.seconds),
    sound: film.hasSound ? 'on' : fields['sound'] == null ? undefined : 'off',
  });
  return isNested ? { effect_scene: body['effect_scene'], input: written } : written;
}

function applyModelName(name: string, asked: KlingSubmission): KlingSubmission {
  const [, model, mode, sound, seconds] = pricedName.exec(name) ?? [];
  if (model === undefined || mode === undefined) return plainModel.test(name) ? { ...asked, model: name } : asked;
  return { model, mode, seconds: Number(seconds), hasSound: sound !== undefined };
}

function priceKind(path: string, { effect_scene: scene }: JsonObject): string {
  if (path === 'text2video' || path === 'image2video') return 'kling-video';
  if (path !== 'effects') return `kling-${path}`;
  const name = textOf(scene) ?? '';
  if (!plainScene.test(name))
    throw new InvalidRequestError(
      `effect_scene is ${describeValue(scene)}. Use the name of an effect.`,
      'effect_scene',
    );
  return `kling-effects-${name}`;
}

function readFields(path: string, body: JsonObject): JsonObject {
  return getPath(path).isNested ? objectOf(body['input']) : body;
}

function getPath(path: string): KlingPath {
  const found = Object.hasOwn(paths, path) ? paths[path] : undefined;
  if (found === undefined) throw new InvalidRequestError(`Kling has no endpoint ${path}.`);
  return found;
}
