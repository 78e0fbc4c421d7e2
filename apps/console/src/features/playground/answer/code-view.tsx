import { useColorScheme } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import type { ColouredPart } from './highlight.ts';

/** The highlighter keeps the page busy while it works. */
const LONGEST_COLOURED = 20_000;

/** Code in colours; plain until the highlighter has loaded and while the code still grows. */
export function CodeView({ code, language, growing }: { code: string; language: string; growing: boolean }) {
  const { colorScheme } = useColorScheme();
  const scheme = colorScheme === 'dark' ? 'dark' : 'light';
  const { data } = useQuery({
    queryKey: ['playground', 'highlight', language, scheme, code],
    queryFn: async () => {
      const { highlight } = await import('./highlight.ts');
      return (await highlight(code, language, scheme)) ?? null;
    },
    enabled: !growing && language !== '' && code.length <= LONGEST_COLOURED,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
  return <CodeBlock code={code}>{data == null ? undefined : coloured(data)}</CodeBlock>;
}

function coloured(parts: readonly ColouredPart[]): ReactNode {
  return parts.map(({ at, text, colour }) => (
    <span key={at} style={{ color: colour }}>
      {text}
    </span>
  ));
}
