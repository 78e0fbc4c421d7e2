/** Content parts with a payload other than text: the payload's tokens, and the rest to be read as text. */
import { isObject, type JsonObject, objectOf, textOf } from '../json/json.ts';
import { imageTokens } from './image-tokens.ts';
import type { ModelFamily } from './model-family.ts';

/** Types of content parts. */
export const imageParts: ReadonlySet<unknown> = new Set([
  'image',
  'image_url',
  'input_image',
  'image_generation_call',
  'computer_screenshot',
]);

/** Payload field by the part's type, for OpenAI and Anthropic. */
const holders: Readonly<Record<string, string>> = {
  image: 'source',
  image_url: 'image_url',
  input_image: 'image_url',
  document: 'source',
  file: 'file',
  input_audio: 'input_audio',
  input_file: 'file_data',
  image_generation_call: 'result',
  computer_screenshot: 'image_url',
};

/** Tokens of a document of unknown size. */
const FILE_TOKENS = 4_000;
/** Bytes per token of a PDF. A page has about 60 kB and 1,500 to 3,000 tokens (Anthropic's guide "PDF support"). */
const BYTES_PER_PDF_TOKEN = 30;
/** OpenAI counts ten tokens per second of audio: 32 kB of speech as WAV with 16 kHz, and 8 kB as MP3. */
const BYTES_PER_WAV_TOKEN = 3_200;
const BYTES_PER_MP3_TOKEN = 800;
/** Gemini counts 32 tokens per second of audio, at least 8 kB, and 258 tokens per second of video, about 100 kB. */
const BYTES_PER_GEMINI_AUDIO_TOKEN = 250;
const BYTES_PER_GEMINI_VIDEO_TOKEN = 400;

interface Media {
  tokens: number;
  isImage: boolean;
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
  const [kind = ''] = (textOf(holder['mimeType']) ?? textOf(holder['mime_type']) ?? '').split('/');
  const isImage = kind === 'image';
  if (addressFields.includes(name)) {
    const tokens = isImage ? imageTokens(family.image, undefined, '') : FILE_TOKENS;
    return { tokens, isImage, rest: part };
  }
  const base64 = textOf(holder['data']);
  if (base64 === undefined) return undefined;
  const rest = { ...part, [name]: { ...holder, data: '' } };
  return { tokens: inlineTokens(kind, base64, family), isImage, rest };
}

function inlineTokens(kind: string, base64: string, family: ModelFamily): number {
  const bytes = (base64.length * 3) / 4;
  if (kind === 'image') return imageTokens(family.image, base64, '');
  if (kind === 'audio') return Math.ceil(bytes / BYTES_PER_GEMINI_AUDIO_TOKEN);
  if (kind === 'video') return Math.ceil(bytes / BYTES_PER_GEMINI_VIDEO_TOKEN);
  return fileTokens(base64, family);
}

function readTyped(part: JsonObject, family: ModelFamily): Media | undefined {
  const type = textOf(part['type']) ?? '';
  const name = Object.hasOwn(holders, type) ? holders[type] : undefined;
  const holder = name === undefined ? undefined : part[name];
  if (name === undefined || (typeof holder !== 'string' && !isObject(holder))) return undefined;
  const { base64, left } = extractPayload(holder, type);
  const tokens = tokensOf(type, part, objectOf(holder), base64, family);
  return { tokens, isImage: imageParts.has(type), rest: { ...part, [name]: left } };
}

interface ExtractedPayload {
  base64?: string;
  left: unknown;
}

/**
 * Extracts the payload. OpenAI writes images as `{url}` or the bare URL, files as `{file_data}`, both with data URLs,
 * and audio as `{data}`; Anthropic writes `{type: 'base64', data}`. In OpenAI's Responses, files can be, and images
 * of earlier responses are, bare base64.
 */
function extractPayload(holder: unknown, type: string): ExtractedPayload {
  if (typeof holder === 'string') {
    return bareTypes.has(type) && bareBase64.test(holder) ? { base64: holder, left: '' } : splitDataUrl(holder);
  }
  const fields = objectOf(holder);
  const { data } = fields;
  if (typeof data === 'string' && (fields['type'] === 'base64' || type === 'input_audio'))
    return { base64: data, left: { ...fields, data: '' } };
  const field = type === 'file' ? 'file_data' : 'url';
  const { base64, left } = splitDataUrl(fields[field]);
  return base64 === undefined ? { left: holder } : { base64, left: { ...fields, [field]: left } };
}

const bareTypes: ReadonlySet<string> = new Set(['input_file', 'image_generation_call']);
const bareBase64 = /^[A-Za-z0-9+/]+={0,2}$/;
const dataUrlHead = /^data:[^,]{0,100};base64,/;

function splitDataUrl(address: unknown): ExtractedPayload {
  const head = typeof address === 'string' ? dataUrlHead.exec(address)?.[0] : undefined;
  if (typeof address !== 'string' || head === undefined) return { left: address };
  return { base64: address.slice(head.length), left: head };
}

function tokensOf(
  type: string,
  part: JsonObject,
  holder: JsonObject,
  base64: string | undefined,
  family: ModelFamily,
): number {
  if (imageParts.has(type)) return imageTokens(family.image, base64, holder['detail'] ?? part['detail']);
  const bytes = ((base64?.length ?? 0) * 3) / 4;
  if (type === 'input_audio')
    return Math.ceil(bytes / (holder['format'] === 'wav' ? BYTES_PER_WAV_TOKEN : BYTES_PER_MP3_TOKEN));
  // The document consists of text, or parts.
  if (holder['type'] === 'text' || holder['type'] === 'content') return 0;
  return base64 === undefined ? FILE_TOKENS : fileTokens(base64, family);
}

function fileTokens(base64: string, family: ModelFamily): number {
  const bytes = (base64.length * 3) / 4;
  return base64.startsWith('JVBER')
    ? Math.max(FILE_TOKENS, Math.ceil(bytes / BYTES_PER_PDF_TOKEN))
    : Math.ceil(bytes / family.charactersPerToken);
}
