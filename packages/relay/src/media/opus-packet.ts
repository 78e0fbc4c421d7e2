/** Seconds of one frame by a packet's configuration, of 32 (RFC 6716, section 3.1). */
const silk = [0.01, 0.02, 0.04, 0.06];
const hybrid = [0.01, 0.02];
const celt = [0.0025, 0.005, 0.01, 0.02];
const frameSeconds = [...silk, ...silk, ...silk, ...hybrid, ...hybrid, ...celt, ...celt, ...celt, ...celt];
/** No packet has more. */
const PACKET_SECONDS_MAX = 0.12;

/** Returns the seconds of a packet of Opus by its first two bytes. */
export function opusSeconds([first = 0, second = 0]: Buffer): number {
  const codes = [1, 2, 2, second & 63];
  const frames = codes[first & 3] ?? 1;
  return Math.min((frameSeconds[first >>> 3] ?? 0) * frames, PACKET_SECONDS_MAX);
}
