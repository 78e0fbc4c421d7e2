import { type FileSource, toInlineFile } from '../../../../json/data-url.ts';
import { type JsonObject, objectOf, textOf } from '../../../../json/json.ts';
import type { AudioPart, FilePart, ImagePart, VideoPart } from '../../../../model/conversation.ts';
import { readField } from '../field.ts';

type Media = ImagePart | AudioPart | VideoPart | FilePart;

/** URLs that only Google can read: buckets, and files uploaded with an account's key. */
const googleOnlyUrl = /^gs:|\/v1[a-z]*\/files\//;

export function decodeFile(part: JsonObject, unsupported: string[]): Media | undefined {
  const inline = objectOf(readField(part, 'inlineData'));
  const data = textOf(inline['data']);
  if (data !== undefined) {
    const source = toInlineFile(textOf(readField(inline, 'mimeType')) ?? '', data);
    return mediaPart(source.mediaType, source, textOf(readField(inline, 'displayName')));
  }
  const file = objectOf(readField(part, 'fileData'));
  const url = textOf(readField(file, 'fileUri'));
  if (url === undefined) return undefined;
  if (!googleOnlyUrl.test(url)) return mediaPart(textOf(readField(file, 'mimeType')) ?? '', { url });
  unsupported.push('contents.parts.fileData');
  return undefined;
}

function mediaPart(mediaType: string, source: FileSource, name?: string): Media {
  const [kind] = mediaType.split('/');
  if (kind === 'image' || kind === 'audio' || kind === 'video') return { type: kind, source };
  return { type: 'file', name, source };
}
