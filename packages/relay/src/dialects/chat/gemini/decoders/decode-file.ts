import { type FileSource, inlineFile } from '../../../../json/data-url.ts';
import { type JsonObject, objectOf, textOf } from '../../../../json/json.ts';
import type { AudioPart, FilePart, ImagePart, VideoPart } from '../../../../model/conversation.ts';
import { field } from '../field.ts';

type Media = ImagePart | AudioPart | VideoPart | FilePart;

/** Addresses that only Google can read: buckets, and what was uploaded with an account's own key. */
const googlesOwn = /^gs:|\/v1[a-z]*\/files\//;

export function decodeFile(part: JsonObject, unsupported: string[]): Media | undefined {
  const inline = objectOf(field(part, 'inlineData'));
  const data = textOf(inline['data']);
  if (data !== undefined) {
    const source = inlineFile(textOf(field(inline, 'mimeType')) ?? '', data);
    return mediaPart(source.mediaType, source, textOf(field(inline, 'displayName')));
  }
  const file = objectOf(field(part, 'fileData'));
  const url = textOf(field(file, 'fileUri'));
  if (url === undefined) return undefined;
  if (!googlesOwn.test(url)) return mediaPart(textOf(field(file, 'mimeType')) ?? '', { url });
  unsupported.push('contents.parts.fileData');
  return undefined;
}

function mediaPart(mediaType: string, source: FileSource, name?: string): Media {
  const [kind] = mediaType.split('/');
  if (kind === 'image' || kind === 'audio' || kind === 'video') return { type: kind, source };
  return { type: 'file', name, source };
}
