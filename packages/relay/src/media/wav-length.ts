const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** Real files have fewer than ten. */
const CHUNKS_MAX = 1_000;

/**
 * Returns the seconds from the format and the bytes that actually follow it. The sizes in the file are unreliable: a
 * recorder that didn't know the end writes arbitrary values.
 */
export function wavSeconds(file: Buffer): number | undefined {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let bytesPerSecond = 0;
  let at = HEADER_BYTES;
  for (let chunks = 0; chunks < CHUNKS_MAX && at + CHUNK_HEADER_BYTES <= file.length; chunks++) {
    const id = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const content = at + CHUNK_HEADER_BYTES;
    if (id === 'fmt ' && content + 16 <= file.length) bytesPerSecond = rateOf(file, content);
    if (id === 'data')
      return bytesPerSecond === 0 ? undefined : contentBytes(file, content, size) / bytesPerSecond;
    at = content + size + (size % 2);
  }
  return undefined;
}

/** A recorder that writes as it records does not know the size; it says none, or all that it can. */
function contentBytes(file: Buffer, content: number, size: number): number {
  return size === 0 ? file.length - content : Math.min(size, file.length - content);
}

/** Returns the bytes per second: computed for uncompressed samples, as the file states for compressed ones. */
function rateOf(file: Buffer, format: number): number {
  const channels = file.readUInt16LE(format + 2);
  const sampleRate = file.readUInt32LE(format + 4);
  const bits = file.readUInt16LE(format + 14);
  const isPlain = bits >= 8;
  return isPlain ? sampleRate * channels * Math.ceil(bits / 8) : file.readUInt32LE(format + 8);
}
