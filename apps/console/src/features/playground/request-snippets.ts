import type { Snippet } from '../../ui/snippet-tabs.tsx';
import type { ChatRequest } from './chat-request.ts';

const KEY = 'YOUR_API_KEY';

/** The same request from a terminal or a program. Pictures are shortened, they would bury the rest. */
export function requestSnippets(server: string, request: ChatRequest): Snippet[] {
  const base = `${server}/v1`;
  const text = JSON.stringify(request, shortenPicture, 2);
  return [
    { name: 'curl', code: curl(base, text) },
    { name: 'Python', code: python(base, request) },
    { name: 'JavaScript', code: javascript(base, text, request.stream === true) },
  ];
}

function shortenPicture(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('data:') ? value.replace(/,.*/s, ',…') : value;
}

function curl(base: string, text: string): string {
  return [
    `curl ${base}/chat/completions \\`,
    `  -H "Authorization: Bearer ${KEY}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${text.replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n');
}

function python(base: string, request: ChatRequest): string {
  const fields = Object.entries(request).map(([name, value]) => `    ${name}=${pythonValue(value, 4)},`);
  const read =
    request.stream === true
      ? [
          'for chunk in answer:',
          '    if chunk.choices:',
          '        print(chunk.choices[0].delta.content or "", end="")',
        ]
      : ['print(answer.choices[0].message.content)'];
  return [
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url=${JSON.stringify(base)}, api_key="${KEY}")`,
    'answer = client.chat.completions.create(',
    ...fields,
    ')',
    ...read,
  ].join('\n');
}

/** JSON's words for true, false and nothing stand outside of strings only. */
function pythonValue(value: unknown, indent: number): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  const pad = ' '.repeat(indent);
  const inner = indent + 4;
  if (Array.isArray(value)) {
    const items = value.map((item) => `${pad}    ${pythonValue(item, inner)},`);
    return ['[', ...items, `${pad}]`].join('\n');
  }
  if (typeof value === 'object') {
    const items = Object.entries(value).map(
      ([name, item]) => `${pad}    ${JSON.stringify(name)}: ${pythonValue(item, inner)},`,
    );
    return ['{', ...items, `${pad}}`].join('\n');
  }
  return JSON.stringify(shortenPicture('', value));
}

function javascript(base: string, text: string, stream: boolean): string {
  const read = stream
    ? [
        'for await (const chunk of answer) {',
        "  process.stdout.write(chunk.choices[0]?.delta.content ?? '');",
        '}',
      ]
    : ['console.log(answer.choices[0].message.content);'];
  return [
    "import OpenAI from 'openai';",
    '',
    `const client = new OpenAI({ baseURL: ${JSON.stringify(base)}, apiKey: '${KEY}' });`,
    `const answer = await client.chat.completions.create(${text});`,
    ...read,
  ].join('\n');
}
