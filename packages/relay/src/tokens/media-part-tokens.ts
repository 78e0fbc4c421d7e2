/** Content parts with a payload other than text: the payload's tokens, and the rest to be read as text. */
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../json/json.ts';
import { imageTokens } from './image-size-and-tokens.ts';
import type { ModelFamily } from './tokenizer-family.ts';

type MediaKind = 'image' | 'audio' | 'video' | 'file';

/** Kind of a part's payload, and the fields of which one contains it. */
interface Holder {
  kind: MediaKind;
  fields: readonly string[];
}

/**
 * Payloads by the part's type. Besides OpenAI's and Anthropic's: URLs and embeddings of vLLM and its imitators
 * (https://docs.vllm.ai/en/latest/features/multimodal_inputs.html), documents of Mistral
 * (https://docs.mistral.ai/capabilities/document_ai/document_qna), frames of Alibaba Cloud
 * (https://help.aliyun.com/zh/model-studio/vision), videos of OpenRouter's Responses
 * (https://openrouter.ai/docs/sdks/go/api-reference/models/inputvideo) and items of Jina's embeddings and rankings
 * (https://api.jina.ai/docs).
 */
const holders: Readonly<Record<string, Holder>> = {
  image: { kind: 'image', fields: ['source', 'url', 'image'] },
  image_url: { kind: 'image', fields: ['image_url'] },
  input_image: { kind: 'image', fields: ['image_url'] },
  image_generation_call: { kind: 'image', fields: ['result'] },
  computer_screenshot: { kind: 'image', fields: ['image_url'] },
  image_embeds: { kind: 'image', fields: ['image_embeds'] },
  input_audio: { kind: 'audio', fields: ['input_audio'] },
  audio_url: { kind: 'audio', fields: ['audio_url'] },
  audio_embeds: { kind: 'audio', fields: ['audio_embeds'] },
  video_url: { kind: 'video', fields: ['video_url'] },
  input_video: { kind: 'video', fields: ['video_url'] },
  audio: { kind: 'audio', fields: ['audio'] },
  video: { kind: 'video', fields: ['video'] },
  pdf: { kind: 'file', fields: ['pdf'] },
  document: { kind: 'file', fields: ['source'] },
  document_url: { kind: 'file', fields: ['document_url'] },
  file: { kind: 'file', fields: ['file'] },
  input_file: { kind: 'file', fields: ['file_data'] },
};

/** Types that a part without a type has by the name of its payload. */
const impliedTypes = ['image', 'audio', 'video', 'pdf'];

/** Types of content parts. */
export const imageParts: ReadonlySet<unknown> = new Set(
  Object.keys(holders).filter((type) => holders[type]?.kind === 'image'),
);

/** Fields by which a part without its payload names something that the vendor reads itself. */
const references = ['file_id', 'file_url', 'id'];

/** Tokens of a document, a recording or a video of unknown size. */
const FILE_TOKENS = 4_000;
/** Bytes per token of a PDF. A page has about 60 kB and 1,500 to 3,000 tokens (Anthropic's guide "PDF support"). */
const BYTES_PER_PDF_TOKEN = 30;
/** OpenAI counts ten tokens per second of audio: 32 kB of speech as WAV with 16 kHz, and 8 kB as MP3. */
const BYTES_PER_WAV_TOKEN = 3_200;
const BYTES_PER_MP3_TOKEN = 800;
/** Gemini counts 32 tokens per second of audio, at least 8 kB, and 258 tokens per second of video, about 100 kB. */
const BYTES_PER_GEMINI_AUDIO_TOKEN = 250;
const BYTES_PER_VIDEO_TOKEN = 400;

interface Media {
  tokens: number;
  /** Media type without its subtype, for instance `image` or `audio`; `file` for a document. */
  kind: string;
  /** The part without its payload, whose other strings may be text for the model. */
  rest: JsonObject;
}

/** Payload fields of Gemini's parts, which have no type. */
const inlineFields = ['inlineData', 'inline_data'];
const addressFields = ['fileData', 'file_data'];

/** Reads a part's media; returns undefined for a text part. */
export function readMedia(part: JsonObject, family: ModelFamily): Media | undefined {
  return readTyped(part, family) ?? readInline(part, family);
}

function readInline(part: JsonObject, family: ModelFamily): Media | undefined {
  const name = [...inlineFields, ...addressFields].find((field) => isObject(part[field]));
  if (name === undefined || part['type'] !== undefined) return undefined;
  const holder = objectOf(part[name]);
  const kind = kindOf(holder);
  if (addressFields.includes(name)) {
    const tokens = kind === 'image' ? imageTokens(family.image, undefined, '') : FILE_TOKENS;
    return { tokens, kind, rest: part };
  }
  const base64 = textOf(holder['data']);
  if (base64 === undefined) return undefined;
  const rest = { ...part, [name]: { ...holder, data: '' } };
  return { tokens: inlineTokens(kind, base64, family), kind, rest };
}

/** Returns the first part of a media type, in the vendors' spellings of the field; empty without one. */
function kindOf(holder: JsonObject): string {
  const type = textOf(holder['mimeType']) ?? textOf(holder['mime_type']) ?? textOf(holder['media_type']) ?? '';
  return type.split('/')[0] ?? '';
}

function inlineTokens(kind: string, base64: string, family: ModelFamily): number {
  const bytes = (base64.length * 3) / 4;
  if (kind === 'image') return imageTokens(family.image, base64, '');
  if (kind === 'audio') return Math.ceil(bytes / BYTES_PER_GEMINI_AUDIO_TOKEN);
  if (kind === 'video') return Math.ceil(bytes / BYTES_PER_VIDEO_TOKEN);
  return fileTokens(base64, family);
}

function readTyped(part: JsonObject, family: ModelFamily): Media | undefined {
  const type = textOf(part['type']) ?? impliedTypes.find((name) => isPayload(part[name])) ?? '';
  const holder = Object.hasOwn(holders, type) ? holders[type] : undefined;
  if (holder === undefined) return undefined;
  const name = holder.fields.find((field) => isPayload(part[field]));
  if (name === undefined) {
    const isReference = references.some((field) => textOf(part[field]) !== undefined);
    if (!isReference) return undefined;
    return { tokens: tokensOf(holder.kind, part, {}, {}, family), kind: holder.kind, rest: part };
  }
  const value = part[name];
  if (Array.isArray(value)) return readFrames(part, name, family);
  const { left, ...payload } = extractPayload(value, type);
  const tokens = tokensOf(holder.kind, part, objectOf(value), payload, family);
  const kind = holder.kind === 'file' ? fileKind(objectOf(value), payload.head) : holder.kind;
  return { tokens, kind, rest: { ...part, [name]: left } };
}

/** Reads a video that is a list of frames. */
function readFrames(part: JsonObject, name: string, family: ModelFamily): Media {
  const frames = listOf(part[name]).map((frame) => splitDataUrl(frame));
  const tokens = frames.reduce((sum, { base64 }) => sum + imageTokens(family.image, base64, part['detail']), 0);
  return { tokens, kind: 'video', rest: { ...part, [name]: frames.map(({ left }) => left) } };
}

function isPayload(value: unknown): boolean {
  return typeof value === 'string' || isObject(value) || Array.isArray(value);
}

interface ExtractedPayload {
  base64?: string;
  /** Beginning of the data URL that contains the payload. */
  head?: string;
  /** Rest of the holder. */
  left?: unknown;
}

/**
 * Extracts the payload. OpenAI writes images as `{url}` or the bare URL, files as `{file_data}`, both with data URLs,
 * and audio as `{data}`; Anthropic writes `{type: 'base64', data}`. Files, vLLM's embeddings, images of earlier
 * Responses, Jina's items and Mistral's audio can be bare base64
 * (https://docs.mistral.ai/studio/audio/speech_to_text/offline_transcription).
 */
function extractPayload(holder: unknown, type: string): ExtractedPayload {
  if (typeof holder === 'string') return bareTypes.has(type) ? splitFileData(holder) : splitDataUrl(holder);
  const fields = objectOf(holder);
  const { data } = fields;
  if (typeof data === 'string' && (fields['type'] === 'base64' || type === 'input_audio'))
    return { base64: data, left: { ...fields, data: '' } };
  const field = type === 'file' ? 'file_data' : 'url';
  const { left, ...payload } = type === 'file' ? splitFileData(fields[field]) : splitDataUrl(fields[field]);
  return payload.base64 === undefined ? { left: holder } : { ...payload, left: { ...fields, [field]: left } };
}

const bareTypes: ReadonlySet<string> = new Set([
  ...impliedTypes,
  'input_file',
  'image_generation_call',
  'input_audio',
  'image_embeds',
  'audio_embeds',
]);
const bareBase64 = /^[A-Za-z0-9+/]+={0,2}$/;
const dataUrlHead = /^data:[^,]{0,100};base64,/i;

function splitFileData(data: unknown): ExtractedPayload {
  return typeof data === 'string' && bareBase64.test(data) ? { base64: data, left: '' } : splitDataUrl(data);
}

function splitDataUrl(address: unknown): ExtractedPayload {
  const head = typeof address === 'string' ? dataUrlHead.exec(address)?.[0] : undefined;
  if (typeof address !== 'string' || head === undefined) return { left: address };
  return { base64: address.slice(head.length), head, left: head };
}

function tokensOf(
  kind: MediaKind,
  part: JsonObject,
  holder: JsonObject,
  { base64, head }: ExtractedPayload,
  family: ModelFamily,
): number {
  if (kind === 'image') return imageTokens(family.image, base64, holder['detail'] ?? part['detail']);
  // The document consists of text, or parts.
  if (holder['type'] === 'text' || holder['type'] === 'content') return 0;
  if (base64 === undefined) return FILE_TOKENS;
  if (kind === 'audio') {
    const isWav = holder['format'] === 'wav' || wavHead.test(head ?? '');
    return Math.ceil((base64.length * 3) / 4 / (isWav ? BYTES_PER_WAV_TOKEN : BYTES_PER_MP3_TOKEN));
  }
  return inlineTokens(kind === 'file' ? fileKind(holder, head) : kind, base64, family);
}

/** Returns the media type of a file, which may be of any type; empty if it names none. */
function fileKind(holder: JsonObject, head: string | undefined): string {
  return head?.slice('data:'.length).split('/')[0]?.toLowerCase() ?? kindOf(holder);
}

const wavHead = /^data:audio\/(?:x-|vnd\.)?wav/i;

function fileTokens(base64: string, family: ModelFamily): number {
  const bytes = (base64.length * 3) / 4;
  return base64.startsWith('JVBER')
    ? Math.max(FILE_TOKENS, Math.ceil(bytes / BYTES_PER_PDF_TOKEN))
    : Math.ceil(bytes / family.charactersPerToken);
}
