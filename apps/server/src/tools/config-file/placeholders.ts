/** Placeholders `${env:NAME}` and `${file:/path}` of a configuration file, which refer to secrets. */
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';

/** Maximum bytes of a file with a secret. */
const SECRET_MAX_BYTES = 65_536;
/** Maximum characters of a text with its secrets, which is also the maximum of a key. */
const TEXT_MAX = 65_536;
/** Maximum characters of all texts with their secrets. */
const TOTAL_MAX = 8_388_608;

/** Ends at the next brace, so that a text with many unclosed placeholders is scanned once. */
const pattern = /\$\{(env|file):([^{}]*)\}/g;

export function hasPlaceholder(text: string): boolean {
  return text.search(pattern) !== -1;
}

/** Returns the placeholder of an environment variable. */
export const formatPlaceholder = (variable: string): string => `\${env:${variable}}`;

export interface PlaceholderSources {
  readVariable: (name: string) => string | undefined;
  /** The server's data folder, whose files no placeholder may read. */
  dataDir: string;
}

/**
 * Returns a function that replaces the placeholders of a text. It reads each file once, and stops at the limit of a
 * text and of all texts together: a short file could otherwise repeat a long secret until the memory is full.
 * @throws with a sentence that names the variable or file, never its content
 */
export function createPlaceholderResolver({ readVariable, dataDir }: PlaceholderSources): (text: string) => string {
  const readFile = createSecretReader(dataDir);
  let total = 0;
  return (text) => {
    let resolved = '';
    let end = 0;
    const append = (part: string): void => {
      total += part.length;
      if (total > TOTAL_MAX)
        throw new Error(`The texts with placeholders have more than ${TOTAL_MAX} characters; split the file`);
      if (resolved.length + part.length > TEXT_MAX)
        throw new Error(`With the values of its placeholders, the text has more than ${TEXT_MAX} characters`);
      resolved += part;
    };
    for (const { 0: placeholder, 1: source, 2: name = '', index } of text.matchAll(pattern)) {
      append(text.slice(end, index));
      append(source === 'env' ? readVariableValue(name, readVariable) : readFile(name));
      end = index + placeholder.length;
    }
    if (end === 0) return text;
    append(text.slice(end));
    return resolved;
  };
}

function readVariableValue(name: string, variable: (name: string) => string | undefined): string {
  const value = variable(name)?.trim() ?? '';
  if (value === '') throw new Error(`The variable ${name} is not set`);
  return value;
}

/** Folders of the system whose files show the environment, or have no end. */
const SYSTEM_FOLDERS = ['/proc', '/dev', '/sys'];

function createSecretReader(dataDir: string): (path: string) => string {
  const forbidden = [...SYSTEM_FOLDERS, resolve(dataDir), tryRealPath(dataDir) ?? resolve(dataDir)];
  const secrets = new Map<string, string>();
  return (path) => {
    if (!path.startsWith('/')) throw new Error(`The path of \${file:${path}} must begin with a slash`);
    const known = secrets.get(path);
    if (known !== undefined) return known;
    // A symbolic link must not lead to the master key. A path without a file fails when it is read.
    const target = tryRealPath(path) ?? resolve(path);
    if (forbidden.some((folder) => isWithin(target, folder)))
      throw new Error(`The file ${path} belongs to the server or the system and cannot be used in a channel`);
    const secret = readTextFile(target, SECRET_MAX_BYTES).trim();
    secrets.set(path, secret);
    return secret;
  };
}

/** Returns the path without symbolic links, or undefined for a file that is missing or not accessible. */
function tryRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

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
