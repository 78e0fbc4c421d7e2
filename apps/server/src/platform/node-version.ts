const MAJOR_MIN = 24;
const MINOR_MIN = 16;

/**
 * Oldest Node.js that can run the server. An older one does not end a pipelined request whose connection closes before
 * its turn, so that the request keeps its concurrency slot (https://github.com/nodejs/node/pull/62534). Before 24.9, it
 * cannot refuse an upgrade; before 24.7, it has no Argon2.
 */
export const NODE_MIN = `${MAJOR_MIN}.${MINOR_MIN}`;

/** @param version of Node.js, `24.16.0` */
export function isNodeSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > MAJOR_MIN || (major === MAJOR_MIN && minor >= MINOR_MIN);
}

/** Ends the process with a sentence on an older Node.js. @param start command that starts the program on its own one */
export function requireSupportedNode(start: string): void {
  const { node } = process.versions;
  if (isNodeSupported(node)) return;
  process.stderr.write(`Switchyard needs Node.js ${NODE_MIN} or later; this is ${node}. Start it with: ${start}\n`);
  process.exit(1);
}
