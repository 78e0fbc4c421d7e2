import { Lexer } from 'marked';
import { isReadableMarkdown } from '../../../ui/markdown/markdown-limits.ts';

/** Part of the text; `at` is its offset. */
export type Block = { at: number } & (
  | { kind: 'prose'; text: string }
  | { kind: 'code'; code: string; language: string }
);

export interface Blocks {
  text: string;
  /** Length of the text that the settled blocks cover. */
  settledLength: number;
  settled: readonly Block[];
  /** Blocks that further text may still change. */
  open: readonly Block[];
}

const nothing: Blocks = { text: '', settledLength: 0, settled: [], open: [] };

/**
 * Splits a growing response into Markdown blocks. A block is settled once another has started after it, and
 * is not parsed again. Text that is too deep or too long to parse is a single block.
 */
export function growBlocks(before: Blocks | undefined, text: string): Blocks {
  const known = before !== undefined && text.startsWith(before.text) ? before : nothing;
  const tokens = blockTokens(text.replace(/\r\n?/g, '\n').slice(known.settledLength));
  const openFrom = Math.max(
    0,
    tokens.findLastIndex((token) => token.type !== 'space'),
  );
  const settled: Block[] = [];
  const open: Block[] = [];
  let at = known.settledLength;
  let settledLength = at;
  for (const [index, token] of tokens.entries()) {
    if (index === openFrom) settledLength = at;
    (index < openFrom ? settled : open).push(...blockOf(token, at));
    at += token.raw.length;
  }
  return { text, settledLength, settled: [...known.settled, ...settled], open };
}

interface BlockToken {
  type: string;
  raw: string;
  text?: string;
  lang?: string;
}

/** Returns the top-level tokens; inline marks are parsed when a block is rendered. */
function blockTokens(text: string): BlockToken[] {
  const asItIs = [{ type: 'text', raw: text }];
  if (!isReadableMarkdown(text)) return asItIs;
  try {
    return new Lexer({ gfm: true, breaks: true }).blockTokens(text);
  } catch {
    return asItIs;
  }
}

function blockOf(token: BlockToken, at: number): Block[] {
  if (token.type === 'space') return [];
  if (token.type !== 'code') return [{ at, kind: 'prose', text: token.raw }];
  return [{ at, kind: 'code', code: token.text ?? '', language: (token.lang ?? '').split(/\s/)[0] ?? '' }];
}
