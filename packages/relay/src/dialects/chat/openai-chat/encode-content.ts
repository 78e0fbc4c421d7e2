import { writeUrl } from '../../../json/data-url.ts';
import { writeCacheMark } from '../../../model/cache-mark.ts';
import type { AudioPart, FilePart, ImagePart, Part, TextPart } from '../../../model/conversation.ts';
import { formatOfSound } from '../openai-audio.ts';

type Content = Record<string, unknown>;
export type UserPart = Exclude<Part, { type: 'tool-result' }>;

export function userContent(parts: readonly UserPart[], dropped: string[]): string | Content[] {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text' && only.cache === undefined) return only.text;
  return parts.flatMap((part) => userPart(part, dropped));
}

function userPart(part: UserPart, dropped: string[]): Content[] {
  switch (part.type) {
    case 'text':
      return [textPart(part)];
    case 'image':
      return [imagePart(part)];
    case 'file':
      return filePart(part, dropped);
    case 'audio':
      return audioPart(part, dropped);
    case 'video':
      return [{ type: 'video_url', video_url: { url: writeUrl(part.source) }, ...writeCacheMark(part) }];
    case 'reasoning':
    case 'tool-call':
    case 'vendor-call':
    case 'refusal':
    default:
      dropped.push(`messages.user.${part.type}`);
      return [];
  }
}

export function textPart(part: TextPart): Content {
  return { type: 'text', text: part.text, ...writeCacheMark(part) };
}

function imagePart(part: ImagePart): Content {
  const detail = part.detail === undefined ? {} : { detail: part.detail };
  return {
    type: 'image_url',
    image_url: { url: writeUrl(part.source), ...detail },
    ...writeCacheMark(part),
  };
}

/** Addresses are for nobody here to fetch; plain text is understood by more vendors than files are. */
function filePart(part: FilePart, dropped: string[]): Content[] {
  const { source, name } = part;
  if ('url' in source) {
    dropped.push('messages.content.document.url');
    return [];
  }
  const cache = writeCacheMark(part);
  if (source.mediaType.startsWith('text/')) {
    const text = Buffer.from(source.base64, 'base64').toString('utf8');
    return [{ type: 'text', text: name === undefined ? text : `${name}\n\n${text}`, ...cache }];
  }
  const file = { filename: name ?? 'document', file_data: writeUrl(source) };
  return [{ type: 'file', file, ...cache }];
}

function audioPart(part: AudioPart, dropped: string[]): Content[] {
  if ('url' in part.source) {
    dropped.push('messages.content.audio.url');
    return [];
  }
  const { mediaType, base64 } = part.source;
  const audio = { data: base64, format: formatOfSound(mediaType) };
  return [{ type: 'input_audio', input_audio: audio, ...writeCacheMark(part) }];
}
