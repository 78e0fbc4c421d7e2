import Box from '@mui/material/Box';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useState } from 'react';
import { CodeBlock } from '../display/code-block.tsx';

export interface Snippet {
  name: string;
  code: string;
}

/** Shows the same call in several languages. */
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

/** Returns a chat call to this gateway as code for common clients. */
export function clientSnippets(server: string, key: string, model: string): Snippet[] {
  const base = `${server}/v1`;
  return [
    {
      name: 'curl',
      code: [
        `curl ${base}/chat/completions \\`,
        `  -H "Authorization: Bearer ${key}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })}'`,
      ].join('\n'),
    },
    {
      name: 'Python',
      code: [
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url=${JSON.stringify(base)}, api_key=${JSON.stringify(key)})`,
        'answer = client.chat.completions.create(',
        `    model=${JSON.stringify(model)},`,
        '    messages=[{"role": "user", "content": "Hello"}],',
        ')',
        'print(answer.choices[0].message.content)',
      ].join('\n'),
    },
    {
      name: 'JavaScript',
      code: [
        "import OpenAI from 'openai';",
        '',
        'const client = new OpenAI({',
        `  baseURL: ${JSON.stringify(base)},`,
        `  apiKey: ${JSON.stringify(key)},`,
        '});',
        'const answer = await client.chat.completions.create({',
        `  model: ${JSON.stringify(model)},`,
        "  messages: [{ role: 'user', content: 'Hello' }],",
        '});',
        'console.log(answer.choices[0].message.content);',
      ].join('\n'),
    },
  ];
}
