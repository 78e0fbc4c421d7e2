const STREAM_INFO = 8;

/**
 * Returns the seconds from the number of samples in the first block; at least the file's duration if it were
 * uncompressed.
 */
export function flacSeconds(file: Buffer): number | undefined {
  if (file.toString('latin1', 0, 4) !== 'fLaC' || file.length < STREAM_INFO + 18) return undefined;
  const packed = file.readUInt32BE(STREAM_INFO + 10);
  const sampleRate = packed >>> 12;
  const channels = ((packed >>> 9) & 7) + 1;
  const bits = ((packed >>> 4) & 31) + 1;
  const samples = (packed & 15) * 2 ** 32 + file.readUInt32BE(STREAM_INFO + 14);
  if (sampleRate === 0) return undefined;
  const uncompressed = (file.length * 8) / (sampleRate * channels * bits);
  return samples === 0 ? undefined : Math.max(samples / sampleRate, uncompressed);
}
