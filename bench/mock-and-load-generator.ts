/** Mock upstream and load generator: in C if there is a compiler, else in Node. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeTexts } from './mock-and-load/canned-responses.ts';
import { type Program, run, startServer } from './processes.ts';

const here = import.meta.dirname;
const built = join(here, '.build');
const sources = join(here, 'mock-and-load');

/** Some requests got no response. */
export class UnansweredError extends Error {}

export interface LoadResult {
  requests: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

export interface Tools {
  kind: 'C' | 'Node';
  startMock(): Promise<Program & { port: number }>;
  /**
   * Each `@@@@@@@@` in the request is replaced by eight digits that no other request of this run has.
   * @throws Error if a response was not 200; `UnansweredError` if a request got no response
   */
  load(port: number, connections: number, milliseconds: number, request: Buffer): Promise<LoadResult>;
}

/** Output of the load generator; percentiles in microseconds. */
interface LoadOutput extends LoadResult {
  errors: number;
}

/** @param withCompiler whether a C compiler is used if there is one */
export async function prepareTools(withCompiler = true): Promise<Tools> {
  mkdirSync(built, { recursive: true });
  const kind = withCompiler && (await compiles()) ? 'C' : 'Node';
  const texts = join(built, 'texts');
  writeTexts(texts);
  const command = (name: string): [string, string[]] =>
    kind === 'C' ? [join(built, name), []] : [process.execPath, [join(sources, `${name}.ts`)]];
  let loads = 0;
  let numbered = 0;
  return {
    kind,
    startMock() {
      const [program, args] = command('mock');
      return startServer(program, [...args, texts]);
    },
    async load(port, connections, milliseconds, request) {
      loads += 1;
      const file = join(built, `request-${loads % 8}`);
      writeFileSync(file, request);
      const [program, args] = command('load');
      const { output, errors: details } = await run(program, [
        ...args,
        ...[port, connections, milliseconds].map(String),
        file,
        String(numbered),
      ]).catch((error: unknown) => {
        throw new UnansweredError(error instanceof Error ? error.message : String(error));
      });
      const { errors, p50, p99, ...result }: LoadOutput = JSON.parse(output);
      numbered += result.requests + connections;
      if (errors > 0)
        throw new Error(`${errors} of ${result.requests} requests were not answered with 200:\n${details}`);
      return { ...result, p50: p50 / 1000, p99: p99 / 1000 };
    },
  };
}

/** @returns false if there is no C compiler @throws Error if it refuses the sources */
async function compiles(): Promise<boolean> {
  try {
    for (const name of ['mock', 'load']) await run('cc', ['-O2', '-o', join(built, name), join(sources, `${name}.c`)]);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
