import Box from '@mui/material/Box';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useState } from 'react';
import { CodeBlock } from '../display/code-block.tsx';

export interface Snippet {
  name: string;
  code: string;
}

/** The same call in several languages. */
export function SnippetTabs({ snippets, label }: { snippets: readonly Snippet[]; label: string }) {
  const [chosen, setChosen] = useState(0);
  const shown = snippets[chosen] ?? snippets[0];
  return (
    <Box>
      <Tabs value={chosen} onChange={(_, next: number) => setChosen(next)} aria-label={label} sx={{ mb: 1 }}>
        {snippets.map((snippet) => (
          <Tab key={snippet.name} label={snippet.name} />
        ))}
      </Tabs>
      {shown !== undefined && <CodeBlock code={shown.code} />}
    </Box>
  );
}
