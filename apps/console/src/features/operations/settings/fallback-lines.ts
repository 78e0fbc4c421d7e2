/** The models that stand in for others, as lines: `gpt-4o: gpt-4.1, claude-sonnet-4-5`. */
import type { Settings } from '@switchyard/contract/operations/settings';

export type Fallbacks = Settings['modelFallbacks'];

interface Problem {
  kind: 'form' | 'twice' | 'many' | 'long';
  /** Counted from 1. */
  line: number;
}

const STAND_INS_MAX = 10;
const NAME_LENGTH_MAX = 128;

export function fallbackLines(fallbacks: Fallbacks): string {
  return Object.entries(fallbacks)
    .map(([model, standIns]) => `${model}: ${standIns.join(', ')}`)
    .join('\n');
}

/** Returns the parsed lines, or the first invalid line. Empty lines are ignored. */
export function parseFallbackLines(text: string): { fallbacks: Fallbacks } | { problem: Problem } {
  const found = new Map<string, string[]>();
  for (const [index, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue;
    const parsed = parseLine(written);
    if (typeof parsed === 'string') return { problem: { kind: parsed, line: index + 1 } };
    if (found.has(parsed.model)) return { problem: { kind: 'twice', line: index + 1 } };
    found.set(parsed.model, parsed.standIns);
  }
  return { fallbacks: Object.fromEntries(found) };
}

/** Names hold colons themselves (`llama3:8b`), so that only one before a space divides. */
function parseLine(line: string): { model: string; standIns: string[] } | Problem['kind'] {
  const [, model = '', rest = ''] = /^\s*(\S+?)\s*:\s+(.*)$/.exec(line) ?? [];
  const standIns = rest
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (model === '' || standIns.length === 0) return 'form';
  if (standIns.length > STAND_INS_MAX) return 'many';
  return [model, ...standIns].some((name) => name.length > NAME_LENGTH_MAX) ? 'long' : { model, standIns };
}
