import { type JsonObject, listOf, objectOf, textOf } from '../../../../json/json.ts';
import { type FileSource, parseFileUrl, toInlineFile } from '../../../../media/data-url.ts';
import type { Part } from '../../../../model/conversation.ts';
import { InvalidRequestError } from '../../../../model/invalid-request-error.ts';
import { audioMediaType } from '../../openai-content-audio-logprobs.ts';

/** Decodes a message's content, or a tool's output: a text, or a list of parts. */
export function decodeContent(content: unknown, unsupported: string[]): Part[] {
  const text = textOf(content);
  if (text !== undefined) return [{ type: 'text', text }];
  return listOf(content).flatMap((value) => {
    const part = objectOf(value);
    const decoded = decodePart(part);
    if (decoded === undefined && !isTextType(part['type']))
      unsupported.push(`input.content.${textOf(part['type']) ?? 'unknown'}`);
    return decoded ?? [];
  });
}

function isTextType(type: unknown): boolean {
  return type === 'input_text' || type === 'output_text' || type === 'text' || type === 'refusal';
}

function decodePart(part: JsonObject): Part | undefined {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const text = textOf(part['text']);
      return text === undefined ? undefined : { type: 'text', text };
    }
    case 'refusal': {
      const text = textOf(part['refusal']);
      return text === undefined ? undefined : { type: 'refusal', text };
    }
    case 'input_image':
      return image(part);
    case 'input_file': {
      const source = fileSource(part);
      return source === undefined ? undefined : { type: 'file', name: textOf(part['filename']), source };
    }
    case 'input_audio':
      return audio(objectOf(part['input_audio']));
    default:
      return undefined;
  }
}

/**
 * Decodes an image. An upload exists only at its vendor: the caller reports a part with only a `file_id` as
 * unsupported.
 */
function image(part: JsonObject): Part | undefined {
  const url = textOf(part['image_url']);
  if (url === undefined && textOf(part['file_id']) !== undefined) return undefined;
  if (url === undefined) throw new InvalidRequestError('An image has no image_url. Add one.');
  return { type: 'image', source: parseFileUrl(url), detail: textOf(part['detail']) };
}

function fileSource(part: JsonObject): FileSource | undefined {
  const data = textOf(part['file_data']);
  const url = textOf(part['file_url']);
  if (data === undefined) return url === undefined ? undefined : parseFileUrl(url);
  if (data.startsWith('data:')) return parseFileUrl(data);
  return toInlineFile('', data);
}

function audio(sound: JsonObject): Part | undefined {
  const base64 = textOf(sound['data']);
  if (base64 === undefined) return undefined;
  const mediaType = audioMediaType(textOf(sound['format']) ?? 'wav');
  return { type: 'audio', source: { mediaType, base64 } };
}
