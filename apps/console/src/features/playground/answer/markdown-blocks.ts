import { Lexer } from 'marked';
import { isReadableMarkdown } from '../../../ui/markdown/readable-markdown.ts';

/** `at` is where it begins in the text. */
export type Block = { at: number } & (
  | { kind: 'prose'; text: string }
  | { kind: 'code'; code: string; language: string }
);

export interface Blocks {
  text: string;
  /** Length of the text that the settled blocks cover. */
  settledLength: number;
  settled: readonly Block[];
  /** May still change with what comes. */
  open: readonly Block[];
}

const nothing: Blocks = { text: '', settledLength: 0, settled: [], open: [] };

/**
 * Divides an answer that grows into Markdown blocks. Only what may still change is read again: a block is settled
 * once another one has begun after it. Text that is too deep or long to be read is one block to its end.
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

/** Without the marks inside a block: those are read when it is drawn. */
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
