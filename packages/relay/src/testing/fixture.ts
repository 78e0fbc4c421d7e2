import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the bytes of a fixture. @param name for example `openai/chat-text.sse` */
export function fixture(name: string): Buffer {
  return readFileSync(path.join(import.meta.dirname, '../../fixtures', name));
}
