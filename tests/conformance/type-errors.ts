/** Type-checks generated source against the types that vendors publish with their libraries. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];

export interface TypeCheckError {
  /** Line of the source, from 1. */
  line: number;
  /** The compiler's message with its explanation, on one line. */
  text: string;
}

/** Returns the compiler's errors for a source, which imports files of `tests/` by `#tests/…`. */
export function checkTypes(source: string): TypeCheckError[] {
  // Below the root, so that the libraries are found.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'published-types-'));
  const file = join(folder, 'source.ts');
  try {
    writeFileSync(file, source.replaceAll('#tests/', `${join(root, 'tests')}/`));
    const flags = [...options, '--allowImportingTsExtensions', '--ignoreConfig', file];
    execFileSync('tsc', flags, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    return [];
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    const found = readErrors(output);
    if (found.length === 0) throw error;
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An error begins with its position; indented lines explain it. */
function readErrors(output: string): TypeCheckError[] {
  return output.split(/\n(?! )/).flatMap((said) => {
    const [, line, text = ''] = /source\.ts\((\d+),\d+\): (.*)/s.exec(said) ?? [];
    return line === undefined ? [] : [{ line: Number(line), text: text.replaceAll(/\s*\n\s*/g, ' ') }];
  });
}
