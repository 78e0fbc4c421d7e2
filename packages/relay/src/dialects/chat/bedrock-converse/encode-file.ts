import type { AudioPart, FilePart, ImagePart, VideoPart } from '../../../model/conversation.ts';
import { InvalidRequest } from '../../../model/invalid-request.ts';
import { mediaFormat } from './media-formats.ts';

const NAME_MAX = 200;

/** The files of one request. */
export class FileEncoder {
  readonly #names = new Set<string>();

  /**
   * Addresses are not handed on: the only ones that the vendor reads are of the account's own storage, which is not the
   * client's.
   * @throws InvalidRequest
   */
  encode(part: ImagePart | FilePart | AudioPart | VideoPart): Record<string, unknown> {
    const { source } = part;
    if ('url' in source)
      throw new InvalidRequest('This model does not support file URLs. Send the file as base64.', 'messages');
    const [kind, format] = mediaFormat(source.mediaType) ?? [];
    if (kind === undefined)
      throw new InvalidRequest('This model does not support files of this media type.', 'messages');
    const file = { format, source: { bytes: source.base64 } };
    if (kind !== 'document') return { [kind]: file };
    return { document: { ...file, name: this.#nameOf('name' in part ? part.name : undefined) } };
  }

  /** Each has another name, of letters, digits, single spaces, hyphens and brackets. */
  #nameOf(said = 'Document'): string {
    const clean = said
      .replace(/\.[A-Za-z0-9]{1,5}$/, '')
      .replaceAll(/[^A-Za-z0-9()[\]-]+/g, ' ')
      .trim()
      .slice(0, NAME_MAX);
    const name = clean === '' ? 'Document' : clean;
    const free = this.#names.has(name) ? `${name} ${this.#names.size + 1}` : name;
    this.#names.add(free);
    return free;
  }
}
