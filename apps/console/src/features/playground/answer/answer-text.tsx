import Box from '@mui/material/Box';
import { memo, useState } from 'react';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { PlainText } from '../../../ui/markdown/plain-text.tsx';
import { CodeView } from './code-view.tsx';
import { type Block, growBlocks } from './markdown-blocks.ts';

/** Each piece that comes has its block drawn again: a longer one is drawn as Markdown only when it is complete. */
const LONGEST_GROWING = 10_000;

/** Shows a model's text as Markdown. While it grows, only the blocks at its end are parsed and drawn again. */
export function AnswerText({ text, growing }: { text: string; growing: boolean }) {
  const [blocks, setBlocks] = useState(() => growBlocks(undefined, text));
  if (blocks.text !== text) setBlocks(growBlocks(blocks, text));
  if (!growing && isJson(text)) return <CodeView code={text.trim()} language="json" growing={false} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5 }}>
      {blocks.settled.map((block) => (
        <BlockView key={block.at} block={block} growing={false} />
      ))}
      {blocks.open.map((block) => (
        <BlockView key={block.at} block={block} growing={growing} />
      ))}
    </Box>
  );
}

const BlockView = memo(function BlockView({ block, growing }: { block: Block; growing: boolean }) {
  if (block.kind === 'code')
    return <CodeView code={block.code} language={block.language} growing={growing} />;
  if (growing && block.text.length > LONGEST_GROWING) return <PlainText>{block.text}</PlainText>;
  return <Markdown text={block.text} />;
});

/** Returns whether the whole response is one JSON object or list, as JSON mode produces it. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
