/**
 * Streams the parts of a multipart form, so that a file is never whole in memory (RFC 7578). As strict as the reader
 * of complete forms, `readPartHeader`.
 */
import { InvalidRequestError, type PartHeader, readPartHeader } from '@switchyard/relay';

export interface StreamedPart extends PartHeader {
  /** Content of the part. It must be read to its end before the next part. */
  content: AsyncIterable<Buffer>;
}

const CRLF = '\r\n';
const PARTS_MAX = 20;
const HEADER_MAX_BYTES = 4_096;

/** @throws InvalidRequestError */
export async function* readFormParts(body: AsyncIterator<Buffer>, boundary: string): AsyncGenerator<StreamedPart> {
  const arriving = new UploadReader(body);
  const delimiter = Buffer.from(`${CRLF}--${boundary}`);
  if ((await arriving.until(delimiter).next()).done !== true)
    throw invalidFormError('does not begin with its boundary');
  for (let parts = 0; ; parts += 1) {
    const mark = await arriving.take(2);
    if (mark === '--') return;
    if (mark !== CRLF) throw invalidFormError('has a boundary inside a part');
    if (parts === PARTS_MAX) throw invalidFormError(`has more than ${PARTS_MAX} parts`);
    const header = await readPartText(arriving.until(Buffer.from(CRLF + CRLF)), HEADER_MAX_BYTES);
    yield { ...readPartHeader(Buffer.from(header, 'latin1')), content: arriving.until(delimiter) };
  }
}

/**
 * Reads a part that isn't a file.
 * @throws InvalidRequestError when it is longer than `maxBytes`
 */
export async function readPartText(pieces: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece.toString('latin1');
    if (text.length > maxBytes) throw invalidFormError('has a part that is too long');
  }
  return text;
}

class UploadReader {
  readonly #body: AsyncIterator<Buffer>;
  /** Starts with a line break, so that the first boundary is found like the others. */
  #unread = Buffer.from(CRLF);

  constructor(body: AsyncIterator<Buffer>) {
    this.#body = body;
  }

  /** Yields the bytes before the mark, and skips the mark. */
  async *until(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#unread.indexOf(mark);
      // The end of the received bytes may be the beginning of the mark.
      const known = at === -1 ? Math.max(0, this.#unread.length - mark.length + 1) : at;
      const piece = this.#unread.subarray(0, known);
      this.#unread = this.#unread.subarray(at === -1 ? known : at + mark.length);
      if (piece.length > 0) yield piece;
      if (at !== -1) return;
      await this.#more();
    }
  }

  async take(bytes: number): Promise<string> {
    while (this.#unread.length < bytes) await this.#more();
    const taken = this.#unread.toString('latin1', 0, bytes);
    this.#unread = this.#unread.subarray(bytes);
    return taken;
  }

  async #more(): Promise<void> {
    const { done = false, value } = await this.#body.next();
    if (done) throw invalidFormError('has no closing boundary');
    this.#unread = Buffer.concat([this.#unread, value]);
  }
}

function invalidFormError(what: string): InvalidRequestError {
  return new InvalidRequestError(`The form ${what}.`);
}
