/**
 * Returns bytes that keep no more than twice their length in memory. A small piece of a packet keeps all of it: a peer
 * that sends packets with one byte of content each would fill the memory although hardly anything is counted.
 */
export function ownBytes(piece: Buffer): Buffer {
  return piece.length * 2 < piece.buffer.byteLength ? Buffer.from(piece) : piece;
}
