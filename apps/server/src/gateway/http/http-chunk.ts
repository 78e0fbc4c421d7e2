/** The pieces of an HTTP/1.1 body of unknown length: size, CRLF, bytes, CRLF. https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const FRAME_BYTES = 4;

/** Last chunk of a chunked body; nothing follows it. */
export const LAST_CHUNK = '0\r\n\r\n';

/**
 * Returns a piece as an HTTP chunk in one buffer.
 * @param piece not empty: an empty chunk would end the body
 */
export function httpChunk(piece: Buffer | string): Buffer {
  const length = Buffer.byteLength(piece);
  const size = length.toString(16);
  const chunk = Buffer.allocUnsafe(size.length + length + FRAME_BYTES);
  let at = chunk.write(size, 'latin1');
  at = writeLineEnd(chunk, at);
  at += typeof piece === 'string' ? chunk.write(piece, at) : piece.copy(chunk, at);
  writeLineEnd(chunk, at);
  return chunk;
}

function writeLineEnd(to: Buffer, at: number): number {
  to[at] = CARRIAGE_RETURN;
  to[at + 1] = LINE_FEED;
  return at + 2;
}
