/**
 * UTF-8 byte order mark before JSON or an event stream, which parsers must ignore:
 * https://www.rfc-editor.org/rfc/rfc8259#section-8.1,
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
import { emptyBuffer } from '../json/json.ts';

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns the body without its byte order mark; the same buffer without one. */
export function withoutByteOrderMark(body: Buffer): Buffer {
  return startsWithMark(body) ? body.subarray(mark.length) : body;
}

/** Filter that removes a byte order mark from the start of a stream, even if chunks split it. */
export class ByteOrderMarkFilter {
  /** Undefined once the start of the stream is known. */
  #held: Buffer | undefined = emptyBuffer;

  push(chunk: Buffer): Buffer {
    if (this.#held === undefined) return chunk;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (bytes.length < mark.length && mark.subarray(0, bytes.length).equals(bytes)) {
      this.#held = bytes;
      return emptyBuffer;
    }
    this.#held = undefined;
    return withoutByteOrderMark(bytes);
  }

  /** Returns the bytes of a stream that ended within an apparent mark. */
  end(): Buffer {
    const rest = this.#held ?? emptyBuffer;
    this.#held = undefined;
    return rest;
  }
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === mark[0] && bytes[1] === mark[1] && bytes[2] === mark[2];
}
