/** Texts of a client's request in any dialect, and of a task's updates, for moderation. */

import { editForm, readForm } from '../exchange/multipart-request.ts';
import { getUpstreamTasks } from '../exchange/task-polls-and-responses.ts';
import { isObject, type JsonObject, objectOf } from '../json/json.ts';
import { editJson } from '../json/json-edit.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { TaskUpdate } from '../model/task-types.ts';
import type { Form } from '../wire/multipart.ts';

/** Field of a part that holds its text. */
const TEXT = 'text';

/** Function on texts that a model reads as one; returns the same number of texts, each unchanged or replaced. */
export type ChangeTexts = (texts: readonly string[]) => readonly string[];

/** Enumerated values of the dialects, and ids: short, and without sentences. */
const chosen: ReadonlySet<string> = new Set([
  'role',
  'type',
  'model',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'item_id',
  'previous_item_id',
  'event_id',
  'object',
  'status',
  'media_type',
  'mime_type',
  'mimeType',
  'responseMimeType',
  'response_mime_type',
  'content_type',
  'format',
  'output_format',
  'response_format',
  'encoding_format',
  'detail',
  'size',
  'quality',
  'style',
  'voice',
  'voiceName',
  'background',
  'moderation',
  'language',
  'truncation',
  'service_tier',
  'include',
  'effort',
  'reasoning_effort',
  'verbosity',
  'summary',
  'tool_choice',
  'mode',
  'modalities',
  'phase',
  'responseModalities',
  'response_modalities',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'speed',
  'previous_response_id',
  'syntax',
  'anyOf',
  'required',
  'threshold',
  'category',
  'timestamp_granularities',
]);
const chosenValue = /^[\w.:/@+-]{1,64}$/;
/** Lists of independent texts; texts of other lists are parts of one. */
const apart: ReadonlySet<string> = new Set(['documents', 'input']);
/** Lists whose parts may be plain strings. */
const plainParts: ReadonlySet<string> = new Set(['parts', 'systemInstruction', 'system_instruction']);
/** Fields that only a vendor can decrypt. */
const sealed: ReadonlySet<string> = new Set([
  'signature',
  'encrypted_content',
  'thoughtSignature',
  'thought_signature',
]);
/** Fields for a tool's input and output, including their member names, which the author chose. */
const own: ReadonlySet<string> = new Set(['arguments', 'args', 'input', 'response', 'metadata']);
const dataUrl = /^data:[^,\s]{0,100};base64,[A-Za-z0-9+/=_-]*$/;
const base64 = /^[A-Za-z0-9+/=_-]*$/;
const addresses: ReadonlySet<string> = new Set([
  'url',
  'image_url',
  'video_url',
  'file_data',
  'image',
  'image_tail',
  'mask',
  'base64',
  'base64Array',
  'sourceBase64',
  'targetBase64',
]);
/** Minimum characters of an image as bare base64. */
const BARE_FILE_MIN = 1_000;
/**
 * Fields that hold a file as bare base64, with the types of the object that contains them or the fields that contain
 * it.
 */
const files: Readonly<Record<string, ReadonlySet<unknown>>> = {
  audio: new Set(['input_audio_buffer.append', 'input_audio']),
  data: new Set(['source', 'inlineData', 'inline_data', 'input_audio', 'redacted_thinking']),
  file_data: new Set(['input_file', 'file']),
  result: new Set(['image_generation_call']),
};

/**
 * Returns the request with changed texts; the same object if none changes. A string counts as text unless its
 * position excludes it: files, and enumerated values.
 * @throws InvalidRequestError when a text in a list of a form would change
 */
export function changeTexts(request: ClientRequest, change: ChangeTexts): ClientRequest {
  const { json, body, form } = request;
  if (form !== undefined) return changeForm(request, form, change);
  const changed = changeFields(json, change);
  return changed === json ? request : { ...request, json: changed, body: editJson(body, json, changed) };
}

/** Changes a form's fields that are a text or a list of texts; others are files. @throws InvalidRequestError */
function changeForm(request: ClientRequest, form: Form, change: ChangeTexts): ClientRequest {
  const { json, body } = request;
  const changed = Object.fromEntries(
    Object.entries(json).map(([key, value]) => {
      if (typeof value === 'string') return [key, isNotText(value, key, json, '') ? value : changeOne(change, value)];
      const isKept = [value].flat().every((item) => typeof item !== 'string' || changeOne(change, item) === item);
      if (!isKept) throw new InvalidRequestError('A list in the form was blocked by the content policy.', key);
      return [key, value];
    }),
  );
  const bytes = editForm(body, form, json, changed);
  if (bytes === body) return request;
  const read = readForm(bytes, `multipart/form-data; boundary="${form.boundary}"`);
  return { ...request, json: changed, body: bytes, form: read };
}

/** Changes the texts of a body, or of a session's event. */
export function changeFields(body: JsonObject, change: ChangeTexts): JsonObject {
  return new TextWalk(change).fields(body, '', false);
}

/** Returns whether a prompt consists of token numbers, which this gateway cannot read. */
export function hasTokenNumbers({ json }: Pick<ClientRequest, 'json'>): boolean {
  return [json['prompt'], json['input']].some((value) => isNumbers(value));
}

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => typeof item === 'number' || isNumbers(item));
}

class TextWalk {
  readonly #change: ChangeTexts;

  constructor(change: ChangeTexts) {
    this.#change = change;
  }

  /**
   * @param name field that holds the object. @param isOwn true for a tool's own data
   * @param text changed text of the object, if it was changed together with others
   */
  fields(object: JsonObject, name: string, isOwn: boolean, text?: string): JsonObject {
    const hasOwnNames = isOwn || name === 'properties';
    let isChanged = false;
    const fields: [string, unknown][] = [];
    for (const key of Object.keys(object)) {
      const value = object[key];
      const newKey = hasOwnNames ? changeOne(this.#change, key) : key;
      const isOwnValue = isOwn || (own.has(key) && isObject(value));
      const isChangedText = text !== undefined && key === TEXT;
      const newValue = isChangedText ? text : this.#value(value, key, object, name, isOwnValue);
      isChanged ||= newKey !== key || newValue !== value;
      fields.push([newKey, newValue]);
    }
    return isChanged ? Object.fromEntries(fields) : object;
  }

  #value(value: unknown, key: string, holder: JsonObject, held: string, isOwn: boolean): unknown {
    if (typeof value === 'string')
      return !isOwn && isNotText(value, key, holder, held) ? value : changeOne(this.#change, value);
    if (Array.isArray(value)) {
      const texts = this.#together(value, key);
      const items: unknown[] = value.map((item, at) => {
        const text = texts.get(at);
        if (text !== undefined) return isObject(item) ? this.fields(item, key, isOwn, text) : text;
        return this.#value(item, key, holder, held, isOwn);
      });
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    return isObject(value) ? this.fields(value, key, isOwn) : value;
  }

  /**
   * Returns the changed texts of a list's parts by index. Content between the parts may get lost on the way to the
   * model.
   */
  #together(items: readonly unknown[], key: string): ReadonlyMap<number, string> {
    if (apart.has(key)) return new Map();
    const parts = items.flatMap((item, at) => {
      const text = plainParts.has(key) && typeof item === 'string' ? item : objectOf(item)[TEXT];
      return typeof text === 'string' ? [{ at, text }] : [];
    });
    if (parts.length === 0) return new Map();
    const changed = this.#change(parts.map(({ text }) => text));
    return new Map(parts.map(({ at, text }, nth) => [at, changed[nth] ?? text]));
  }
}

function changeOne(change: ChangeTexts, text: string): string {
  return change([text])[0] ?? text;
}

function isNotText(text: string, key: string, holder: JsonObject, held: string): boolean {
  if (sealed.has(key)) return true;
  if (chosen.has(key) && chosenValue.test(text)) return true;
  if (addresses.has(key) && (dataUrl.test(text) || (text.length >= BARE_FILE_MIN && base64.test(text)))) return true;
  const places = Object.hasOwn(files, key) ? files[key] : undefined;
  const isFile = places !== undefined && (places.has(holder['type']) || places.has(held));
  return isFile && holder['type'] !== 'text' && base64.test(text);
}

/** Returns the update with changed texts; URLs are not changed. */
export function changeUpdateTexts(format: UpstreamDialectId, news: TaskUpdate, change: ChangeTexts): TaskUpdate {
  const changeWords: ChangeTexts = (texts) => (texts.every(isAddress) ? texts : change(texts));
  const works = news.works.map(({ text, title, ...work }) => ({
    ...work,
    ...changeFields({ ...(text !== undefined && { text }), ...(title !== undefined && { title }) }, changeWords),
  }));
  const { generatedTextField } = getUpstreamTasks(format);
  if (generatedTextField === undefined) return { ...news, works };
  const said = changeFields({ [generatedTextField]: news.said[generatedTextField] }, changeWords);
  return { ...news, works, said: { ...news.said, ...said } };
}

const isAddress = (text: string): boolean => /^https?:\/\/\S+$/.test(text);
