import { marked } from 'marked';

export type Block = { kind: 'prose'; text: string } | { kind: 'code'; code: string; language: string };

export interface Blocks {
  text: string;
  /** How much of the text the settled blocks cover. */
  settledLength: number;
  settled: readonly Block[];
  /** May still change with what comes. */
  open: readonly Block[];
}

const nothing: Blocks = { text: '', settledLength: 0, settled: [], open: [] };

/**
 * Divides an answer that grows into Markdown blocks. Only what may still change is read again: a block is settled
 * once another one has begun after it.
 */
export function growBlocks(before: Blocks | undefined, text: string): Blocks {
  const known = before !== undefined && text.startsWith(before.text) ? before : nothing;
  const tokens = marked.lexer(text.slice(known.settledLength), { gfm: true, breaks: true });
  const openFrom = tokens.findLastIndex((token) => token.type !== 'space');
  const ended = tokens.slice(0, Math.max(0, openFrom));
  const endedLength = ended.reduce((length, { raw }) => length + raw.length, 0);
  return {
    text,
    settledLength: known.settledLength + endedLength,
    settled: [...known.settled, ...ended.flatMap(blockOf)],
    open: tokens.slice(Math.max(0, openFrom)).flatMap(blockOf),
  };
}

function blockOf(token: { type: string; raw: string; text?: string; lang?: string }): Block[] {
  if (token.type === 'space') return [];
  if (token.type !== 'code') return [{ kind: 'prose', text: token.raw }];
  return [{ kind: 'code', code: token.text ?? '', language: (token.lang ?? '').split(/\s/)[0] ?? '' }];
}
