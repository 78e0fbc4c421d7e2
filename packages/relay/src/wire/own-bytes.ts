/**
 * Returns bytes that keep no large packet in memory: copies a piece that is less than half of its packet, into the pool of
 * 8 KiB that small buffers share. A peer that sends packets with one byte of content each would fill the memory otherwise,
 * although hardly anything is counted.
 */
export function ownBytes(piece: Buffer): Buffer {
  return piece.length * 2 < piece.buffer.byteLength ? Buffer.from(piece) : piece;
}
