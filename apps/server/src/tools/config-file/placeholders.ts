/** Placeholders `${env:NAME}` and `${file:/path}` of a configuration file, which refer to secrets. */
import { closeSync, openSync, readSync } from 'node:fs';
import { SECRET_MAX_BYTES } from './size-limits.ts';

/** Ends at the next brace, so that a text with many unclosed placeholders is scanned once. */
const pattern = /\$\{(env|file):([^{}]*)\}/g;

export function hasPlaceholder(text: string): boolean {
  return text.search(pattern) !== -1;
}

/** Returns the placeholder of an environment variable. */
export const formatPlaceholder = (variable: string): string => `\${env:${variable}}`;

/** @throws with a sentence that names the variable or file, never its content */
export function resolvePlaceholders(text: string, variable: (name: string) => string | undefined): string {
  return text.replace(pattern, (_, from: string, name: string) =>
    from === 'env' ? readVariableValue(name, variable) : readSecretFile(name),
  );
}

function readVariableValue(name: string, variable: (name: string) => string | undefined): string {
  const value = variable(name)?.trim() ?? '';
  if (value === '') throw new Error(`The variable ${name} is not set`);
  return value;
}

function readSecretFile(path: string): string {
  if (!path.startsWith('/')) throw new Error(`The path of \${file:${path}} must begin with a slash`);
  return readTextFile(path, SECRET_MAX_BYTES).trim();
}

/** @throws with the path, which the system's message omits for a folder; and for a file larger than `maxBytes` */
export function readTextFile(path: string, maxBytes: number): string {
  const bytes = readBytes(path, maxBytes + 1);
  if (bytes.length > maxBytes)
    throw new Error(`The file ${path} has more than ${maxBytes} bytes; split it or name another file`);
  return bytes.toString('utf8');
}

/** Reads at most `maxBytes`, because a device has no end. */
function readBytes(path: string, maxBytes: number): Buffer {
  const bytes = Buffer.alloc(maxBytes);
  let length = 0;
  try {
    const file = openSync(path, 'r');
    try {
      for (let read = -1; read !== 0 && length < maxBytes; length += read)
        read = readSync(file, bytes, length, maxBytes - length, null);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Error(`The file ${path} cannot be read${code}`, { cause: error });
  }
  return bytes.subarray(0, length);
}
