import { type FileSource, readUrl } from '../../../json/data-url.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import { readCacheMark } from '../../../model/cache-mark.ts';
import type { AudioPart, FilePart, ImagePart, Part } from '../../../model/conversation.ts';
import { InvalidRequest } from '../../../model/invalid-request.ts';
import { mediaTypeOfSound } from '../openai-audio.ts';
import { thoughtsIn } from './read-content.ts';

export function contentParts(content: unknown, unsupported: string[]): Part[] {
  const text = textOf(content);
  if (text !== undefined) return [{ type: 'text', text }];
  return listOf(content).flatMap((value): Part[] => {
    const part = objectOf(value);
    const decoded = contentPart(part, unsupported);
    return decoded === undefined ? [] : [decoded];
  });
}

function contentPart(part: JsonObject, unsupported: string[]): Part | undefined {
  switch (part['type']) {
    case 'text': {
      const text = textOf(part['text']);
      return text === undefined ? undefined : { type: 'text', text, cache: readCacheMark(part) };
    }
    case 'refusal':
      return { type: 'refusal', text: textOf(part['refusal']) ?? '' };
    // As Mistral writes its thoughts.
    case 'thinking':
      return { type: 'reasoning', text: thoughtsIn(part).join('') };
    case 'image_url':
      return imagePart(part);
    case 'input_audio':
      return audioPart(part);
    // Not OpenAI's own; Qwen, Zhipu, OpenRouter and vLLM take it.
    case 'video_url':
      return {
        type: 'video',
        source: readUrl(urlOf(part, 'video_url', 'A video')),
        cache: readCacheMark(part),
      };
    case 'file':
      return filePart(part, unsupported);
    default:
      unsupported.push(`messages.content.${textOf(part['type']) ?? 'unknown'}`);
      return undefined;
  }
}

export function imagePart(part: JsonObject): ImagePart {
  const source = readUrl(urlOf(part, 'image_url', 'An image'));
  const detail = textOf(objectOf(part['image_url'])['detail']);
  return { type: 'image', source, detail, cache: readCacheMark(part) };
}

function urlOf(part: JsonObject, field: string, what: string): string {
  const url = textOf(objectOf(part[field])['url']) ?? textOf(part[field]);
  if (url === undefined) throw new InvalidRequest(`${what} needs a url.`, 'messages');
  return url;
}

function audioPart(part: JsonObject): AudioPart {
  const audio = objectOf(part['input_audio']);
  const base64 = textOf(audio['data']);
  if (base64 === undefined) throw new InvalidRequest('An input_audio needs data.', 'messages');
  const mediaType = mediaTypeOfSound(textOf(audio['format']) ?? 'wav');
  return { type: 'audio', source: { mediaType, base64 }, cache: readCacheMark(part) };
}

/** A file that was uploaded before lies with one vendor only. */
function filePart(part: JsonObject, unsupported: string[]): FilePart | undefined {
  const file = objectOf(part['file']);
  const data = textOf(file['file_data']);
  if (data === undefined) {
    unsupported.push('messages.content.file.file_id');
    return undefined;
  }
  return {
    type: 'file',
    name: textOf(file['filename']),
    source: readFileData(data),
    cache: readCacheMark(part),
  };
}

/** A data URL by the book; some clients send the base64 alone, and OpenRouter's an address. */
function readFileData(data: string): FileSource {
  if (/^(data|https?):/.test(data)) return readUrl(data);
  return { mediaType: 'application/pdf', base64: data };
}
