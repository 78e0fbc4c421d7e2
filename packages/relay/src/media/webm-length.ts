const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const CLUSTER = 0x1f43b675;
const CLUSTER_TIME = 0xe7;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;
/** Gone into: their size need not be known, and it is not where a browser records. */
const containers = new Set([SEGMENT, INFO, CLUSTER, BLOCK_GROUP]);

/**
 * Opus has 50 blocks a second: 16 minutes. Each costs as much as a large one, and a file of two-byte elements has millions. What
 * is behind them is taken to be like them.
 */
const ELEMENTS_MAX = 50_000;
const DEFAULT_SCALE = 1_000_000;
const NANOSECONDS = 1_000_000_000;
/** Films may be uploaded, too; none has more than 20 Mbit/s. Bytes. */
const MOST_PER_SECOND = 2_500_000;

interface Element {
  id: number;
  /** Position where the content begins; `to` is its end, undefined if unknown. */
  from: number;
  to: number | undefined;
}

/**
 * Returns the seconds from the file's header and from the time of the last block, for WebM and Matroska (RFC 9559):
 * recorders that write while they record don't know the end.
 */
export function webmSeconds(file: Buffer): number | undefined {
  let element = elementAt(file, 0);
  if (element?.id !== EBML) return undefined;
  let scale = DEFAULT_SCALE;
  let duration = 0;
  let clusterTime = 0;
  let lastTime = 0;
  for (let count = 0; element !== undefined; count++) {
    const { id, from, to }: Element = element;
    if (count > ELEMENTS_MAX) {
      lastTime *= file.length / from;
      break;
    }
    if (id === SCALE) scale = uintIn(file, element);
    else if (id === DURATION) duration = Math.max(duration, floatIn(file, element));
    else if (id === CLUSTER_TIME) clusterTime = uintIn(file, element);
    else if (id === BLOCK || id === SIMPLE_BLOCK)
      lastTime = Math.max(lastTime, clusterTime + blockTime(file, from));
    const next: number | undefined = containers.has(id) ? from : to;
    element = next === undefined ? undefined : elementAt(file, next);
  }
  const seconds = (Math.max(duration, lastTime) * scale) / NANOSECONDS;
  return seconds > 0 ? Math.max(seconds, file.length / MOST_PER_SECOND) : undefined;
}

function elementAt(file: Buffer, at: number): Element | undefined {
  const idBytes = Math.clz32(file[at] ?? 0) - 23;
  if (idBytes > 4 || at + idBytes >= file.length) return undefined;
  const sizeAt = at + idBytes;
  const sizeBytes = Math.clz32(file[sizeAt] ?? 0) - 23;
  const from = sizeAt + sizeBytes;
  if (sizeBytes > 8 || from > file.length) return undefined;
  let size = (file[sizeAt] ?? 0) & (0xff >>> sizeBytes);
  for (let byte = sizeAt + 1; byte < from; byte++) size = size * 256 + (file[byte] ?? 0);
  const isUnknown = size >= 2 ** (7 * sizeBytes) - 1;
  return { id: file.readUIntBE(at, idBytes), from, to: isUnknown ? undefined : from + size };
}

function uintIn(file: Buffer, { from, to = from }: Element): number {
  const bytes = Math.min(to, file.length) - from;
  return bytes >= 1 && bytes <= 6 ? file.readUIntBE(from, bytes) : 0;
}

function floatIn(file: Buffer, { from, to = from }: Element): number {
  if (to > file.length) return 0;
  const value = to - from === 8 ? file.readDoubleBE(from) : to - from === 4 ? file.readFloatBE(from) : 0;
  return value > 0 ? value : 0;
}

/** Relative to its cluster; behind the number of the track, which has as many bytes as its first says. */
function blockTime(file: Buffer, from: number): number {
  const at = from + Math.clz32(file[from] ?? 0) - 23;
  return at + 2 <= file.length ? file.readInt16BE(at) : 0;
}
