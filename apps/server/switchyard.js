#!/usr/bin/env node
/**
 * The program `switchyard` of the package: `switchyard start`, `switchyard demo`, and every command of the operator.
 * Any Node from 20 on may run it; the product runs on the one that came with the package, else on this one.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** As in `src/platform/node-version.ts`, which an older Node may be unable to load. */
const NODE_MIN = '24.16';
/** npm hands on what the terminal has already sent to everybody, and a second signal would skip the drain. */
const SAME_SIGNAL_MS = 500;

const programs = { start: './src/main.js', demo: './src/tools/demo/demo.js' };
const summary = `Usage: switchyard start       the gateway with its console
       switchyard demo        the same with a made-up month of use
`;

/** @returns the path of the Node that came along, or undefined where there is none for this machine */
function ownNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const file = platform === 'win' ? 'bin/node.exe' : 'bin/node';
  try {
    return createRequire(import.meta.url).resolve(`node-${platform}-${process.arch}/${file}`);
  } catch {
    return undefined;
  }
}

function isNodeSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  const [majorMin, minorMin] = NODE_MIN.split('.').map(Number);
  return major > majorMin || (major === majorMin && minor >= minorMin);
}

function nodeToUse() {
  const own = ownNode();
  if (own !== undefined) return own;
  if (isNodeSupported(process.versions.node)) return process.execPath;
  process.stderr.write(`Switchyard needs Node.js ${NODE_MIN} or later here; this is ${process.versions.node}\n`);
  return process.exit(1);
}

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));
const [name = '', ...parameters] = process.argv.slice(2);
if (name === '') process.stderr.write(summary);
const program = Object.hasOwn(programs, name)
  ? [
      '--max-semi-space-size=64',
      '--import',
      new URL('./compile-cache.js', import.meta.url).href,
      pathOf(programs[name]),
      ...parameters,
    ]
  : [pathOf('./src/cli.js'), ...process.argv.slice(2)];

// Makes glibc return the memory of large responses at once: https://man7.org/linux/man-pages/man3/mallopt.3.html
// oxlint-disable-next-line node/no-process-env -- the product reads its variables itself
const env = { MALLOC_MMAP_THRESHOLD_: '131072', ...process.env };
// A group of its own, so that a key in the terminal reaches the product once, from here.
const child = spawn(nodeToUse(), program, { stdio: 'inherit', env, detached: process.platform !== 'win32' });
let lastSignal = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    const now = Date.now();
    if (now - lastSignal >= SAME_SIGNAL_MS) child.kill(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
    lastSignal = now;
  });
child.once('error', (error) => {
  process.stderr.write(`Switchyard could not start: ${error.message}\n`);
  process.exit(1);
});
child.once('exit', (code) => process.exit(code ?? 1));
